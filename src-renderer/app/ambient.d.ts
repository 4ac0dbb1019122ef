import type { Bridge } from '../../src-preload/contract/routes.ts'

declare global {
  interface Window {
    /** There under Electron only, from the preload. */
    readonly bridge?: Bridge
  }
}
