//===- Csv.cpp - Blocks of memory in CSV files ----------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Csv.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

using namespace lgc;
using namespace llvm;

namespace {

constexpr StringRef columnNames[] = {"id", "lower", "upper", "size", "alignment", "offset"};
enum Column : size_t { Id, Lower, Upper, Size, Alignment, Offset };

class Reader {
public:
  Reader(StringRef file, StringRef text) : file(file), rest(text) {}

  Expected<CsvProblem> read();

private:
  Error makeError(const Twine &message) const;
  bool readLine(SmallVectorImpl<StringRef> &cells);
  Error readHeader();
  Error readRow(ArrayRef<StringRef> cells);
  Error readNumber(ArrayRef<StringRef> cells, Column column, int64_t &number) const;

  StringRef file, rest;
  size_t line = 0, width = 0;
  /// Where each column is; npos where the file has none.
  size_t columns[6] = {StringRef::npos, StringRef::npos, StringRef::npos,
                       StringRef::npos, StringRef::npos, StringRef::npos};
  /// The line of each id.
  StringMap<size_t> lines;
  CsvProblem csv;
};

} // namespace

Error Reader::makeError(const Twine &message) const {
  return createStringError(file + ":" + Twine(line) + ": " + message);
}

/// The cells of the next line that isn't blank.
bool Reader::readLine(SmallVectorImpl<StringRef> &cells) {
  while (!rest.empty()) {
    StringRef text;
    std::tie(text, rest) = rest.split('\n');
    ++line;
    if (text.trim().empty())
      continue;
    cells.clear();
    text.split(cells, ',');
    for (StringRef &cell : cells)
      cell = cell.trim();
    return true;
  }
  return false;
}

Error Reader::readHeader() {
  SmallVector<StringRef> cells;
  if (!readLine(cells)) {
    line = 1;
    return makeError("the file is empty; begin it with the line 'id,lower,upper,size'");
  }
  width = cells.size();
  for (auto [position, cell] : enumerate(cells))
    for (auto [column, name] : enumerate(columnNames)) {
      if (cell != name)
        continue;
      if (columns[column] != StringRef::npos)
        return makeError("the column '" + name + "' is there twice; remove one");
      columns[column] = position;
    }
  for (Column column : {Id, Lower, Upper, Size})
    if (columns[column] == StringRef::npos)
      return makeError("there is no column '" + columnNames[column] +
                       "'; begin the file with the line 'id,lower,upper,size'");
  return Error::success();
}

Error Reader::readNumber(ArrayRef<StringRef> cells, Column column, int64_t &number) const {
  StringRef cell = cells[columns[column]];
  if (cell.getAsInteger(10, number))
    return makeError(columnNames[column] + " is '" + cell +
                     "'; give a whole number of at most 64 bits");
  return Error::success();
}

Error Reader::readRow(ArrayRef<StringRef> cells) {
  if (cells.size() != width)
    return makeError("the row has " + Twine(cells.size()) + " cells and the header " +
                     Twine(width) + "; give as many");
  StringRef id = cells[columns[Id]];
  if (id.empty())
    return makeError("the block has no id; give one");
  auto [known, isNew] = lines.try_emplace(id, line);
  if (!isNew)
    return makeError("the id '" + id + "' is that of line " + Twine(known->second) +
                     " too; give each block its own");
  int64_t lower = 0, upper = 0, offset = 0;
  LiveBlock block = {0, 0, 0};
  for (auto [column, number] : {std::pair<Column, int64_t *>{Lower, &lower},
                                {Upper, &upper},
                                {Size, &block.bytes},
                                {Alignment, &block.alignment},
                                {Offset, &offset}}) {
    bool absent = columns[column] == StringRef::npos ||
                  (column >= Alignment && cells[columns[column]].empty());
    if (absent)
      continue;
    if (Error error = readNumber(cells, column, *number))
      return error;
    if (column == Offset)
      block.fixed = offset;
  }
  if (lower >= upper)
    return makeError("lower is " + Twine(lower) + " and upper " + Twine(upper) +
                     "; upper, the moment when the block is free again, must be larger");
  block.first = lower;
  block.last = upper - 1;
  OffsetProblem alone;
  alone.blocks.push_back(block);
  if (std::optional<std::string> fault = findFault(alone)) {
    StringRef what = *fault;
    what.consume_front("block 0 ");
    return makeError("the block '" + id + "' is impossible: " + what + "; correct the row");
  }
  csv.problem.blocks.push_back(block);
  csv.ids.push_back(id.str());
  return Error::success();
}

Expected<CsvProblem> Reader::read() {
  if (Error error = readHeader())
    return std::move(error);
  SmallVector<StringRef> cells;
  while (readLine(cells))
    if (Error error = readRow(cells))
      return std::move(error);
  return std::move(csv);
}

Expected<CsvProblem> lgc::readCsv(StringRef file, StringRef text) {
  return Reader(file, text).read();
}

void lgc::writeCsv(raw_ostream &os, const CsvProblem &csv, const Layout &layout) {
  os << "id,lower,upper,size,offset\n";
  for (auto [id, block, offset] : zip_equal(csv.ids, csv.problem.blocks, layout.offsets))
    os << id << ',' << block.first << ',' << block.last + 1 << ',' << block.bytes << ',' << offset
       << '\n';
}
