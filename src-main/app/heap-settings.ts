import { setFlagsFromString } from 'node:v8'

/**
 * Keeps dead objects from piling up; for all threads. Flags of Node's command line would not reach
 * Electron's main process. What each is worth is in docs/benchmarks.md.
 *
 * - What a delivery allocates outlives its commit, so under a rush V8 now and then concludes that all
 *   such objects live long and allocates them as old from then on: 70 MB of dead ones twice a second.
 * - Left to itself V8 lets the old generation grow to four times what lives there.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
  setFlagsFromString('--heap-growing-percent=50')
}
