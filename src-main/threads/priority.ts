import { getPriority, setPriority } from 'node:os'

/**
 * Lets other work go before that of this process or, on Linux, of this thread. Who was started with a lower priority
 * keeps it: the system lets only its administrator raise one, and the error would end the thread.
 */
export function lowerPriority(): void {
  setPriority(0, Math.max(getPriority(0), lowPriority))
}

const lowPriority = 10
