import { setFlagsFromString } from 'node:v8'

/**
 * Limits dead objects on the heap of all threads. Flags of Node's command line would not reach
 * Electron's main process; docs/benchmarks.md has the measurements. Without the first flag, V8
 * under load treats short-lived objects as long-lived (70 MB of dead objects every 0.6 s). Without
 * the second flag, the old generation may grow to four times its live size.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
  setFlagsFromString('--heap-growing-percent=50')
}

/**
 * Gives Electron's main process and its threads the young generation that the scripts give Node by
 * `--max-semi-space-size=4`. In Electron that flag reaches the main process only on the command line (`--js-flags`),
 * which shortcuts and the system's start at login do not have. Call this before the first thread starts.
 */
export function keepYoungGenerationSmall(): void {
  // V8 reads these two flags when it creates a heap, so they apply to the threads.
  setFlagsFromString('--min-semi-space-size=4')
  setFlagsFromString('--max-semi-space-size=4')
  // The main thread's heap already exists. V8 reads this flag whenever that heap would grow, so the
  // heap keeps its first size of 1 to 3 MB.
  setFlagsFromString('--semi-space-growth-factor=1')
}
