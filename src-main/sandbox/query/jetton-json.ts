import type { Jetton } from './jettons.ts'

/** JettonPreview of the service. */
export function serializeJettonPreview(jetton: Jetton) {
  const { address, name, symbol, decimals, image, description, isVerified } = jetton
  return {
    address,
    name,
    symbol,
    decimals,
    image,
    verification: isVerified ? 'whitelist' : 'none',
    score: isVerified ? 100 : 0,
    ...(description === null ? {} : { description }),
  }
}

/** JettonMetadata of the service. */
export function serializeJettonMetadata(jetton: Jetton) {
  const { address, name, symbol, decimals, image, description } = jetton
  return {
    address,
    name,
    symbol,
    decimals: decimals.toString(),
    ...(image === '' ? {} : { image }),
    ...(description === null ? {} : { description }),
  }
}
