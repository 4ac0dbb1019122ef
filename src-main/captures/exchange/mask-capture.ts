import { maskHeader, maskTarget } from '../mask.ts'
import type { Exported } from './exported.ts'

const hook = /\/hook\/[0-9a-f]{32}/gi
/** As long as the token, so that what follows it is still found at its place. */
const hidden = `/hook/${'*'.repeat(32)}`

/**
 * Without what lets somebody in: the receiver's token wherever it stands (proxies repeat the path in
 * headers of their own), bearers, cookies and the like. The body stays as it was received.
 */
export function maskCapture(capture: Exported): Exported {
  return {
    ...capture,
    target: maskTarget(hideHook(capture.target)),
    headers: capture.headers.map(([name, value]) => maskHeader([name, hideHook(value)])),
  }
}

function hideHook(text: string): string {
  return text.replace(hook, hidden)
}
