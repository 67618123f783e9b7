// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hooks/service/hook_link.h"

namespace xebec::gateway {

/// Returns a link for the protocol of the endpoint.
std::shared_ptr<HookLink> MakeLink(const LinkSite& site, const Open& open, LinkEvents events);

}  // namespace xebec::gateway
