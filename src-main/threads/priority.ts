import { getPriority, setPriority } from 'node:os'

/**
 * Lowers the priority of this process or, on Linux, of this thread, so that other work goes first.
 * A process that was started with a lower priority keeps it, because only an administrator may
 * raise a priority and the error would end the thread.
 */
export function lowerPriority(): void {
  setPriority(0, Math.max(getPriority(0), lowPriority))
}

const lowPriority = 10
