import { resourceOf } from './resource.ts'

/** How many captures there are, unread and pinned, and the newest id. */
export const captureCounts = resourceOf('capture.counts')
