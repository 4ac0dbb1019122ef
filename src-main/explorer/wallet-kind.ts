/** Which wallet a contract is, among the interfaces that a gateway names; null for what is none. */
export function walletKindOf(interfaces: readonly string[]): string | null {
  return interfaces.find((name) => /^(preprocessed_)?wallet_/.test(name)) ?? null
}
