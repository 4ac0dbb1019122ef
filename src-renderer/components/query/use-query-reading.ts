import { useEffect, useState } from 'react'
import type { FilterStage, QueryReading } from '../../../src-preload/contract/capture-query.ts'
import { request } from '../../app/bridge.ts'

/** The text is parsed after this pause in typing. */
const restMs = 60

type TextReading = QueryReading & {
  /** The text that was parsed, to which positions refer. */
  readonly text: string
}

const unread: TextReading = {
  text: '',
  parts: [],
  problems: [],
  completion: { from: 0, to: 0, choices: [] },
}

/**
 * Returns the parsed query shortly after typing; until then that of the previous text. The newest
 * text is used, whichever response comes last.
 * @param cursor null if the field has no focus, so that nothing is completed
 * @param stage the stage at which a rule's filter is evaluated
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
        const response = await request('captureQuery.read', {
          text,
          ...(cursor !== null && { cursor }),
          ...(stage !== undefined && { stage }),
        })
        if (!outdated) setReading({ ...response, text })
      } catch {
        // The field then searches without chips and suggestions.
        if (!outdated) setReading({ ...unread, text })
      }
    }
    // A text that was not typed is complete and needs no pause.
    const timer = setTimeout(() => void read(), cursor === null ? 0 : restMs)
    return () => {
      outdated = true
      clearTimeout(timer)
    }
  }, [text, cursor, stage])
  return reading
}
