// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace xebec {

/// Joins lambdas into one visitor for std::visit: `std::visit(Overloaded{f, g}, variant)`.
template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace xebec
