// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grey images from PNG and JPEG files (libpng, libjpeg), and back to PNG.
#pragma once

#include <string>
#include <vector>

struct Image {
  int width = 0, height = 0;
  std::vector<unsigned char> grey;  // height * width, row by row
};

// Reads a PNG or JPEG, told apart by its first bytes, and turns it grey (ITU-R BT.601 weights, integers). Throws
// std::runtime_error with the file's name and what is wrong with it.
Image readImage(const std::string& path);

// Writes an 8-bit grey PNG: first to a temporary name, then renamed, so no half-written file is left. Throws
// std::runtime_error.
void writePng(const std::string& path, const unsigned char* grey, int width, int height);
