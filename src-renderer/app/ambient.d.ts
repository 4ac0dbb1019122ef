import type { Bridge } from '../../src-preload/contract/routes.ts'

declare global {
  interface Window {
    /** Set only in Electron, by the preload script. */
    readonly bridge?: Bridge
  }
}
