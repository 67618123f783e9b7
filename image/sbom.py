# SPDX-License-Identifier: Apache-2.0
"""The SBOM of the image as SPDX 2.3 JSON."""

import hashlib
import json


def document(name, version, created, image_digest, packages):
    """`packages`: [(Debian package, version)]."""
    def package(identifier, title, number, licence, location):
        return {"SPDXID": identifier, "name": title, "versionInfo": number, "downloadLocation": "NOASSERTION",
                "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": licence, "copyrightText": "NOASSERTION",
                "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": location}]}
    listed = [package("SPDXRef-xebec", name, version, "Apache-2.0", f"pkg:generic/{name}@{version}")]
    listed += [package(f"SPDXRef-{title.replace('+', 'p').replace('_', '-')}", title, number, "NOASSERTION",
                       f"pkg:deb/debian/{title}@{number}") for title, number in packages]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-xebec"}]
    relations += [{"spdxElementId": "SPDXRef-xebec", "relationshipType": "DEPENDS_ON", "relatedSpdxElement": each["SPDXID"]}
                  for each in listed[1:]]
    seed = hashlib.sha256(image_digest.encode()).hexdigest()[:32]
    return json.dumps({"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"{name}-{version}",
                       "documentNamespace": f"urn:xebec:sbom:{seed}",
                       "creationInfo": {"created": created, "creators": ["Tool: xebec-dev-image"]},
                       "packages": listed, "relationships": relations}, indent=1) + "\n"
