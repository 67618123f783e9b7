// SPDX-License-Identifier: Apache-2.0
#include "hooks/service/make_link.h"

#include <utility>

#include "hooks/service/grpc_link.h"
#include "hooks/service/http_link.h"

namespace xebec::gateway {

std::shared_ptr<HookLink> MakeLink(const LinkSite& site, const struct Open& open,
                                   LinkEvents events) {
  if (open.endpoint.protocol == HookProtocol::kHttp)
    return std::make_shared<HttpLink>(site, open, std::move(events));
  return std::make_shared<GrpcLink>(site, open, std::move(events));
}

}  // namespace xebec::gateway
