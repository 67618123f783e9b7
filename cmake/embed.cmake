# SPDX-License-Identifier: Apache-2.0
# cmake -D IN=file -D OUT=source.cc -D HEADER=what it includes -D FUNCTION=ns::Name -P embed.cmake
# Writes the C++ that gives the file's bytes back: std::string_view ns::Name().
file(READ ${IN} hex HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "((0x..,){20})" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "#include \"${HEADER}\"
namespace {
constexpr unsigned char kBytes[] = {
${bytes}};
}
std::string_view ${FUNCTION}() { return {reinterpret_cast<const char*>(kBytes), sizeof(kBytes)}; }
")
