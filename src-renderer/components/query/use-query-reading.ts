import { useEffect, useState } from 'react'
import type { FilterStage, QueryReading } from '../../../src-preload/contract/capture-query.ts'
import { request } from '../../app/bridge.ts'

/** Typing rests this long before the text is read. */
const restMs = 60

type TextReading = QueryReading & {
  /** What was read: places are of this text. */
  readonly text: string
}

const unread: TextReading = {
  text: '',
  parts: [],
  problems: [],
  completion: { from: 0, to: 0, choices: [] },
}

/**
 * What a text means, a moment after it was typed; until then what the former one meant. The newest
 * question wins, whichever is answered last.
 * @param cursor null where nobody types: nothing is completed then
 * @param stage of a rule's filter: when the rule is asked
 */
export function useQueryReading(
  text: string,
  cursor: number | null,
  stage?: FilterStage,
): TextReading {
  const [reading, setReading] = useState(unread)
  useEffect(() => {
    let outdated = false
    const read = async () => {
      try {
        const answer = await request('captureQuery.read', {
          text,
          ...(cursor !== null && { cursor }),
          ...(stage !== undefined && { stage }),
        })
        if (!outdated) setReading({ ...answer, text })
      } catch {
        // A field without chips and completion still searches.
        if (!outdated) setReading({ ...unread, text })
      }
    }
    // What came from elsewhere, whole, is not waited for.
    const timer = setTimeout(() => void read(), cursor === null ? 0 : restMs)
    return () => {
      outdated = true
      clearTimeout(timer)
    }
  }, [text, cursor, stage])
  return reading
}
