import { describe, expect, test } from "vitest";
import { isPublicAddress, privateHostOf } from "./address.ts";

describe("[NO14] addresses that are not public", () => {
  test.each([
    ["unspecified", "0.0.0.0"],
    ["this network", "0.1.2.3"],
    ["loopback", "127.0.0.1"],
    ["loopback", "127.255.255.254"],
    ["private", "10.0.0.1"],
    ["private", "172.16.0.1"],
    ["private", "172.31.255.255"],
    ["private", "192.168.1.1"],
    ["shared (CGNAT)", "100.64.0.1"],
    ["shared (CGNAT)", "100.127.255.255"],
    ["link-local", "169.254.169.254"],
    ["protocol assignments", "192.0.0.1"],
    ["benchmarks", "198.19.0.1"],
    ["documentation", "203.0.113.7"],
    ["multicast", "224.0.0.1"],
    ["multicast", "239.255.255.255"],
    ["reserved", "240.0.0.1"],
    ["broadcast", "255.255.255.255"],
    ["unspecified", "::"],
    ["loopback", "::1"],
    ["loopback", "0:0:0:0:0:0:0:1"],
    ["link-local", "fe80::1"],
    ["link-local with a zone", "fe80::1%eth0"],
    ["site-local", "fec0::1"],
    ["unique-local", "fc00::1"],
    ["unique-local", "fd12:3456:789a::1"],
    ["cloud metadata", "fd00:ec2::254"],
    ["multicast", "ff02::1"],
    ["mapped loopback", "::ffff:127.0.0.1"],
    ["mapped loopback", "::ffff:7f00:1"],
    ["mapped loopback", "0:0:0:0:0:FFFF:7F00:0001"],
    ["mapped private", "::ffff:10.1.2.3"],
    ["mapped link-local", "::ffff:a9fe:a9fe"],
    ["compatible loopback", "::127.0.0.1"],
    ["translated loopback", "64:ff9b::127.0.0.1"],
    ["translated link-local", "64:ff9b::a9fe:a9fe"],
    ["locally translated", "64:ff9b:1::1"],
    ["6to4 of loopback", "2002:7f00:1::"],
    ["Teredo", "2001:0:53aa:64c::1"],
    ["documentation", "2001:db8::1"],
    ["documentation", "3fff::1"],
    ["discard", "100::1"],
    ["segment routing", "5f00::1"],
    ["no address", "example.com"],
    ["no address", ""],
    ["no address", "1.2.3"],
    ["no address", "::g"],
  ])("%s: %s", (_, address) => expect(isPublicAddress(address)).toBe(false));
});

describe("[NO14] addresses that are public", () => {
  test.each([
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450:4001:82a::200e",
    "2001:4860:4860::8888",
    "::ffff:1.1.1.1",
    "64:ff9b::1.1.1.1",
  ])("%s", (address) => expect(isPublicAddress(address)).toBe(true));
});

test("[NO14] a host is seen through, however it is spelled in an address", () => {
  const inside = (text: string) => privateHostOf(new URL(text));
  for (const spelling of ["127.1", "0x7f.0.0.1", "2130706433", "0177.0.0.1", "127.0.0.1.", "%3127.0.0.1", "①27.0.0.1"])
    expect(inside(`http://${spelling}/`)).toBe("127.0.0.1");
  expect(inside("http://[::1]:8080/")).toBe("::1");
  expect(inside("http://[::ffff:10.0.0.1]/")).toBe("::ffff:a00:1");
  expect(inside("https://LocalHost/")).toBe("localhost");
  expect(inside("https://api.localhost./")).toBe("api.localhost.");
  for (const outside of ["https://1.1.1.1/", "https://example.com/", "https://localhost.example.com/"])
    expect(inside(outside)).toBeNull();
});
