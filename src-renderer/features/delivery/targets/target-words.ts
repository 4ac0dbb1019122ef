import type { Tone } from '../../../ui/tag.tsx'
import type { TargetCheck } from './use-target-check.ts'

type Said = { readonly tone: Tone; readonly word: string; readonly detail: string }

/** What a check came to, in a word and a sentence; null while there is nothing to say. */
export function sayCheck(check: TargetCheck): Said | null {
  switch (check.status) {
    case 'empty':
    case 'checking':
      return null
    case 'unknown':
      return { tone: 'warn', word: check.isInvalid ? 'no URL' : 'unclear', detail: check.why }
    case 'known':
      break
  }
  const { kind, host, isConfirmed, addresses, problem } = check.verdict
  const at = addresses.length === 0 ? '' : ` (${addresses.join(', ')})`
  switch (kind) {
    case 'loopback':
      return { tone: 'ok', word: 'this computer', detail: `Sent to freely${at}.` }
    case 'refused':
      return { tone: 'bad', word: 'refused', detail: problem ?? 'Nothing is ever sent there.' }
    case 'public':
      return isConfirmed
        ? { tone: 'ok', word: 'confirmed', detail: `You have said yes to ${host}${at}.` }
        : {
            tone: 'warn',
            word: 'to be confirmed',
            detail: `${host} is not this computer${at}: you are asked before anything goes there.`,
          }
  }
}

/** `localhost:3000/hook`: for places that are narrow. */
export function shortTarget(url: string): string {
  const short = url.replace(/^https?:\/\//i, '')
  return short.replace(/\/$/, '')
}
