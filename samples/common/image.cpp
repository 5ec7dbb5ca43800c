// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image.h"

#include <cstdio>
// jpeglib.h needs size_t and FILE declared before it.
#include <jpeglib.h>
#include <png.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace {

using File = std::unique_ptr<FILE, int (*)(FILE*)>;

constexpr std::size_t maxPixels = std::size_t{1} << 31;

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw std::runtime_error(path + ": " + what);
}

unsigned char toGrey(unsigned red, unsigned green, unsigned blue) {
  return static_cast<unsigned char>((299 * red + 587 * green + 114 * blue + 500) / 1000);
}

std::vector<unsigned char> rgbToGrey(const std::vector<unsigned char>& rgb) {
  std::vector<unsigned char> grey(rgb.size() / 3);
  for (std::size_t i = 0; i < grey.size(); ++i) grey[i] = toGrey(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]);
  return grey;
}

Image readPng(const std::string& path) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&png, path.c_str())) fail(path, png.message);
  png.format = PNG_FORMAT_RGB;
  if (std::size_t{png.width} * png.height > maxPixels) {
    png_image_free(&png);
    fail(path, "more than 2^31 pixels");
  }
  std::vector<unsigned char> rgb(PNG_IMAGE_SIZE(png));
  const png_color black{0, 0, 0};
  if (!png_image_finish_read(&png, &black, rgb.data(), 0, nullptr)) fail(path, png.message);
  return {static_cast<int>(png.width), static_cast<int>(png.height), rgbToGrey(rgb)};
}

struct JpegError {
  jpeg_error_mgr manager;  // first: libjpeg hands back a pointer to it
  char message[JMSG_LENGTH_MAX];
};

struct JpegReader {
  jpeg_decompress_struct info{};
  JpegError error{};
  JpegReader() {
    info.err = jpeg_std_error(&error.manager);
    error.manager.error_exit = [](j_common_ptr common) {
      char text[JMSG_LENGTH_MAX];
      common->err->format_message(common, text);
      throw std::runtime_error(text);
    };
    // A truncated file is a warning to libjpeg, which then invents grey pixels: an error here.
    error.manager.emit_message = [](j_common_ptr common, int level) {
      if (level < 0) common->err->error_exit(common);
    };
    jpeg_create_decompress(&info);
  }
  ~JpegReader() { jpeg_destroy_decompress(&info); }
};

Image readJpeg(const std::string& path, FILE* file) {
  JpegReader reader;
  try {
    jpeg_stdio_src(&reader.info, file);
    jpeg_read_header(&reader.info, TRUE);
    reader.info.out_color_space = JCS_RGB;
    jpeg_start_decompress(&reader.info);
    const std::size_t width = reader.info.output_width, height = reader.info.output_height;
    if (width * height > maxPixels) throw std::runtime_error("more than 2^31 pixels");
    std::vector<unsigned char> rgb(width * height * 3);
    while (reader.info.output_scanline < height) {
      JSAMPROW row = rgb.data() + std::size_t{reader.info.output_scanline} * width * 3;
      jpeg_read_scanlines(&reader.info, &row, 1);
    }
    jpeg_finish_decompress(&reader.info);
    return {static_cast<int>(width), static_cast<int>(height), rgbToGrey(rgb)};
  } catch (const std::runtime_error& error) {
    fail(path, error.what());
  }
}

}  // namespace

Image readImage(const std::string& path) {
  File file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) fail(path, std::strerror(errno));
  unsigned char magic[8] = {};
  const std::size_t got = std::fread(magic, 1, sizeof magic, file.get());
  std::rewind(file.get());
  if (got == sizeof magic && png_sig_cmp(magic, 0, sizeof magic) == 0) return readPng(path);
  if (got >= 3 && magic[0] == 0xFF && magic[1] == 0xD8 && magic[2] == 0xFF) return readJpeg(path, file.get());
  fail(path, "neither a PNG nor a JPEG file");
}

void writePng(const std::string& path, const unsigned char* grey, int width, int height) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(width);
  png.height = static_cast<png_uint_32>(height);
  png.format = PNG_FORMAT_GRAY;
  const std::string temporary = path + ".part";
  const bool written = png_image_write_to_file(&png, temporary.c_str(), 0, grey, 0, nullptr) != 0;
  if (!written || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const std::string message = written ? std::strerror(errno) : png.message;
    unlink(temporary.c_str());
    fail(path, message);
  }
}
