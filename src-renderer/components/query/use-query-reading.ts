import { useEffect, useState } from 'react'
import type { FilterStage, QueryReading } from '../../../src-preload/contract/capture-query.ts'
import { request } from '../../app/bridge.ts'

/** The text is parsed after this pause in typing. */
const restMs = 60

type TextReading = QueryReading & {
  /** The text that was parsed; places are places in it. */
  readonly text: string
}

const unread: TextReading = {
  text: '',
  parts: [],
  problems: [],
  completion: { from: 0, to: 0, choices: [] },
}

/**
 * The parsed query, a moment after it was typed; until then that of the text before. The newest text wins,
 * whichever response comes last.
 * @param cursor null without the focus: nothing is completed then
 * @param stage for the filter of a rule: when it is evaluated
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
        // The field searches without chips and suggestions.
        if (!outdated) setReading({ ...unread, text })
      }
    }
    // A text from elsewhere is complete and needs no pause.
    const timer = setTimeout(() => void read(), cursor === null ? 0 : restMs)
    return () => {
      outdated = true
      clearTimeout(timer)
    }
  }, [text, cursor, stage])
  return reading
}
