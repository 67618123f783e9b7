// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/http/http_client.h"

namespace xebec::bench {

/// In milliseconds, one for each parent.
struct Latencies {
  std::vector<double> created;  ///< From the answer to the creation to the child on a watch.
  std::vector<double> changed;  ///< From the answer to a change to the child's change on a watch.
};

/// Creates `count` parents one at a time, then changes each. Pauses after each so that the load is
/// low. nullopt (with a message on stderr) if a request failed or a child did not come.
std::optional<Latencies> MeasureLatency(http::ApiClient* client, const std::string& ns,
                                        const std::string& prefix, int count);

}  // namespace xebec::bench
