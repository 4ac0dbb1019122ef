import { setFlagsFromString } from 'node:v8'

/**
 * Has V8 take every new object for short-lived. What a delivery allocates outlives its commit, so
 * under a rush V8 now and then concludes that all such objects live long and allocates them as old
 * ones from then on: 70 MB of dead ones twice a second, and fewer deliveries (docs/benchmarks.md).
 * Holds for all threads, and may be called at any time. A flag of Node's command line would not
 * reach Electron's main process.
 */
export function takeNewObjectsForShortLived(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}
