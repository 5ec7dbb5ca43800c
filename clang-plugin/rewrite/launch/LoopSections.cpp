// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions over arrays at the launch site.
#include "rewrite/launch/LaunchText.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

namespace {

class SectionWriter {
 public:
  SectionWriter(const Spelling& spelling, const LoopFacts& facts, CodeText& code)
      : spelling_(spelling), dialect_(spelling.dialect()), context_(spelling.context()), facts_(facts), code_(code) {}

  void declare(const SectionFact& section);
  void combine(const SectionFact& section);

 private:
  static std::string name(const VarDecl* var) { return var->getNameAsString(); }
  // Of elements, whatever the array's dimensions.
  struct Bounds {
    std::string lower, length;
  };
  Bounds boundsOf(const SectionFact& section) const;
  std::string lengthOf(const SectionFact& section, unsigned dimension) const;
  std::string number(const Expr* bound) const { return dialect_.cast("int64_t", argumentText(context_, bound)); }
  void declareInC(const SectionFact& section, const std::string& type, const Bounds& bounds);
  void combineInC(const SectionFact& section);

  const Spelling& spelling_;
  const Dialect& dialect_;
  const ASTContext& context_;
  const LoopFacts& facts_;
  CodeText& code_;
};

std::string SectionWriter::lengthOf(const SectionFact& section, unsigned dimension) const {
  const SectionPart& part = section.parts[dimension];
  if (part.isElement) return "1";
  if (part.length) return number(part.length);
  const ArrayFact& array = facts_.arrays[section.array];
  const std::string extent = dimension > 0
                                 ? std::to_string(array.extents[dimension - 1])
                                 : dialect_.cast("int64_t", "sizeof(" + name(section.var) + ") / sizeof(" +
                                                                (array.extents.empty() ? spelling_.type(array.element)
                                                                                       : name(section.var) + "[0]") +
                                                                ")");
  return part.lower ? extent + " - " + number(part.lower) : extent;
}

// From the first element that is named to the last one: dimensions that are not named are whole.
SectionWriter::Bounds SectionWriter::boundsOf(const SectionFact& section) const {
  const ArrayFact& array = facts_.arrays[section.array];
  if (section.parts.empty())
    return {"0", dialect_.cast("int64_t",
                               "sizeof(" + name(section.var) + ") / sizeof(" + spelling_.type(array.element) + ")")};
  if (array.extents.empty())
    return {section.parts[0].lower ? number(section.parts[0].lower) : "0", lengthOf(section, 0)};
  Bounds bounds;
  std::int64_t stride = 1;
  for (std::int64_t extent : array.extents) stride *= extent;
  for (unsigned d = 0; d < section.parts.size(); ++d) {
    if (d > 0) stride /= array.extents[d - 1];
    const std::string times = " * " + std::to_string(stride);
    if (section.parts[d].lower)
      bounds.lower += (bounds.lower.empty() ? "" : " + ") + number(section.parts[d].lower) + times;
    bounds.length += "(" + lengthOf(section, d) + " - 1)" + times + " + ";
  }
  bounds.length += std::to_string(stride);
  if (bounds.lower.empty()) bounds.lower = "0";
  return bounds;
}

// An array that is not managed is reduced in one that is, and combined into the user's afterwards.
void SectionWriter::declare(const SectionFact& section) {
  const ArrayFact& array = facts_.arrays[section.array];
  const std::string var = name(section.var), type = spelling_.type(array.element);
  const PresumedLoc loc = context_.getSourceManager().getPresumedLoc(facts_.directive->getBeginLoc());
  const Bounds bounds = boundsOf(section);
  code_.open("static const muster_array_site muster_site_" + var + " = {");
  code_.line("{" + spelling_.literal(loc.getFilename()) + ", " + std::to_string(loc.getLine()) + ", " +
             std::to_string(loc.getColumn()) + "}, " + spelling_.literal(var) + ", " + spelling_.literal(type) +
             ", sizeof(" + type + "),");
  code_.line(spelling_.typeCode(array.element) + ", MUSTER_REPLICATED, 0, \"every device reduces into a copy of it\"");
  code_.close("};");
  if (dialect_.isC())
    declareInC(section, type, bounds);
  else
    code_.line("::muster::ReductionSection<" + type + ", " + resultKinds[section.kind] + "> muster_section_" + var +
               "(muster_site_" + var + ", (" + type + " *)" + var + ", " + bounds.lower + ", " + bounds.length + ");");
}

// muster::ReductionSection, written out: muster_section_NAME is what the launch reduces into.
void SectionWriter::declareInC(const SectionFact& section, const std::string& type, const Bounds& bounds) {
  const std::string var = name(section.var), data = "muster_section_" + var, low = "muster_low_" + var,
                    end = "muster_end_" + var;
  code_.line("const int64_t " + low + " = " + bounds.lower + ", " + end + " = " + low + " + (" + bounds.length + ");");
  code_.line(type + " *" + data + " = (" + type + " *)" + var + ";");
  code_.open("if (" + end + " > " + low + " && " + low + " >= 0 && !muster_is_managed(" + data + " + " + low + ")) {");
  code_.line(data + " = (" + type + " *)muster_array_new(&muster_site_" + var + ", (size_t)" + end + ");");
  code_.line("for (int64_t muster_i = " + low + "; muster_i < " + end + "; ++muster_i) " + data + "[muster_i] = (" +
             type + ")(" + identityOf(spelling_, section.kind, facts_.arrays[section.array].element, type) + ");");
  code_.close();
}

void SectionWriter::combineInC(const SectionFact& section) {
  const std::string var = name(section.var), type = spelling_.type(facts_.arrays[section.array].element),
                    data = "muster_section_" + var, low = "muster_low_" + var, end = "muster_end_" + var;
  code_.open("if (" + data + " != (" + type + " *)" + var + ") {");
  code_.line("muster_host_access(" + data + " + " + low + ", (size_t)(" + end + " - " + low + ") * sizeof(" + type +
             "), MUSTER_READ);");
  code_.open("for (int64_t muster_i = " + low + "; muster_i < " + end + "; ++muster_i) {");
  code_.line(type + " *const muster_a = (" + type + " *)" + var + " + muster_i;");
  code_.line("const " + type + " muster_b = " + data + "[muster_i];");
  code_.line(combination(spelling_, section.kind, type));
  code_.close();
  code_.line("muster_free(" + data + ");");
  code_.close();
}

void SectionWriter::combine(const SectionFact& section) {
  if (dialect_.isC())
    combineInC(section);
  else
    code_.line("muster_section_" + name(section.var) + ".combine();");
}

}  // namespace

void declareSections(const Spelling& spelling, const LoopFacts& facts, CodeText& code) {
  for (const SectionFact& section : facts.sections) SectionWriter(spelling, facts, code).declare(section);
}

void combineSections(const Spelling& spelling, const LoopFacts& facts, CodeText& code) {
  for (const SectionFact& section : facts.sections) SectionWriter(spelling, facts, code).combine(section);
}

}  // namespace muster::plugin
