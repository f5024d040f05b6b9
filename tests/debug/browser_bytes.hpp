// SPDX-License-Identifier: Apache-2.0
/// @file
/// The bytes that a browser (Chromium) sends to a port of this machine on a page's request. There
/// are three cases:
/// - `fetch("http://127.0.0.1:1234/", {method: "POST", mode: "no-cors", body})`;
/// - a page whose name was bound again to 127.0.0.1;
/// - the bytes before a request that is not simple (Fetch Standard, "CORS-preflight fetch").
#pragma once

#include <string>

namespace headstack::debug {

inline std::string browser_headers(const std::string& host) {
  return "Host: " + host +
         "\r\nConnection: keep-alive\r\n"
         "sec-ch-ua-platform: \"Linux\"\r\n"
         "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
         "Chrome/131.0.0.0 Safari/537.36\r\n"
         "Accept: */*\r\nOrigin: http://evil.example\r\nSec-Fetch-Site: cross-site\r\n"
         "Sec-Fetch-Dest: empty\r\nReferer: http://evil.example/\r\n"
         "Accept-Encoding: gzip, deflate, br, zstd\r\nAccept-Language: en-US,en;q=0.9\r\n";
}

inline std::string browser_post(const std::string& body) {
  return "POST / HTTP/1.1\r\n" + browser_headers("127.0.0.1:1234") +
         "Content-Type: text/plain;charset=UTF-8\r\nSec-Fetch-Mode: no-cors\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// The page's own name is now bound to this machine, so that the page may read the answer.
inline std::string browser_get() {
  return "GET /$qSupported#37 HTTP/1.1\r\n" + browser_headers("evil.example:1234") + "\r\n";
}

inline std::string browser_preflight() {
  return "OPTIONS / HTTP/1.1\r\n" + browser_headers("127.0.0.1:1234") +
         "Access-Control-Request-Method: PUT\r\n\r\n";
}

}  // namespace headstack::debug
