import { setFlagsFromString } from 'node:v8'

/**
 * Limits dead objects on the heap of all threads. Flags of Node's command line would not reach
 * Electron's main process; docs/benchmarks.md has the measurements. Without the first flag, V8 under
 * load treats short-lived objects as long-lived (70 MB of dead ones every 0.6 s). Without the
 * second, the old generation may grow to four times its live size.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
  setFlagsFromString('--heap-growing-percent=50')
}
