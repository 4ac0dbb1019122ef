import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { TokenVerdict } from '../../src-preload/domain/capture-values.ts'

export type TokenCheck = { readonly verdict: TokenVerdict; readonly tokenId: string | null }

export type TokenChecker = ReturnType<typeof createTokenChecker>

const unchecked: TokenCheck = { verdict: 'unchecked', tokenId: null }
const missing: TokenCheck = { verdict: 'missing', tokenId: null }
const wrong: TokenCheck = { verdict: 'wrong', tokenId: null }

/**
 * Compares keyed digests with all tokens, so that timing reveals neither a token's length nor a
 * near match. A missing token never passes (see GHSA-3fcr-jvgp-7f58).
 */
export function createTokenChecker() {
  const key = randomBytes(32)
  const digest = (token: string) => createHmac('sha256', key).update(token, 'latin1').digest()
  let known: readonly { id: string; digest: Buffer }[] = []

  return {
    setTokens(tokens: readonly { readonly id: string; readonly token: string }[]): void {
      known = tokens.map(({ id, token }) => ({ id, digest: digest(token) }))
    },
    /** @param authorization the received header value; null if the header is missing */
    check(authorization: string | null): TokenCheck {
      if (known.length === 0) return unchecked
      if (authorization === null) return missing
      const bearer = /^bearer +(\S+)\s*$/i.exec(authorization)?.[1]
      const presented = digest(bearer ?? '')
      let matched: string | null = null
      for (const token of known) {
        if (timingSafeEqual(token.digest, presented)) matched = token.id
      }
      if (bearer === undefined || matched === null) return wrong
      return { verdict: 'right', tokenId: matched }
    },
  }
}
