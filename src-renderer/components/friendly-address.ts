/**
 * Formats the friendly form of an address, because the window gets raw addresses. The main process
 * parses entered addresses.
 */
type FriendlyFlags = {
  /** True for a contract; false for a wallet, which may not be deployed yet. */
  readonly bounceable: boolean
  /** True for addresses of a test network, which wallets on Mainnet refuse. */
  readonly testOnly: boolean
}

/** Formats `0:<64 hex>` as `EQ…` or `UQ…` (`kQ…`, `0Q…` if test-only); null if it is not a raw address. */
export function friendlyAddress(raw: string, flags: FriendlyFlags): string | null {
  const [, workchain = '', hash = ''] = /^(-?\d{1,3}):([0-9a-f]{64})$/i.exec(raw) ?? []
  if (hash === '') return null
  const bytes = new Uint8Array(36)
  bytes[0] = (flags.bounceable ? 0x11 : 0x51) | (flags.testOnly ? 0x80 : 0)
  bytes[1] = Number(workchain) & 0xff
  for (let at = 0; at < 32; at += 1) {
    bytes[at + 2] = Number.parseInt(hash.slice(at * 2, at * 2 + 2), 16)
  }
  const sum = crc16(bytes.subarray(0, 34))
  bytes[34] = sum >> 8
  bytes[35] = sum & 0xff
  const base64 = btoa(String.fromCharCode(...bytes))
  return base64.replaceAll('+', '-').replaceAll('/', '_')
}

/** Computes CRC-16/XMODEM, the checksum in addresses of TON. */
function crc16(bytes: Uint8Array): number {
  let sum = 0
  for (const byte of bytes) {
    sum ^= byte << 8
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 0x8000 ? (sum << 1) ^ 0x1021 : sum << 1
  }
  return sum & 0xffff
}
