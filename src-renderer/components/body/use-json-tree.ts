import { useEffect, useMemo, useState } from 'react'
import type { JsonTree } from './json-nodes.ts'
import { createJsonScan, readJsonTree } from './json-tree.ts'

/** Read at once below this length; above it in pieces, so that the window stays responsive. */
const atOnce = 100_000
const tokensPerTurn = 40_000

/** The text's tree; null while a large one is being read. */
export function useJsonTree(text: string): JsonTree | null {
  const small = useMemo(() => (text.length <= atOnce ? readJsonTree(text) : null), [text])
  const [large, setLarge] = useState<JsonTree | null>(null)
  useEffect(() => {
    if (text.length <= atOnce) return undefined
    const scan = createJsonScan(text)
    let timer = setTimeout(step)
    function step(): void {
      if (scan.step(tokensPerTurn)) setLarge(scan.tree())
      else timer = setTimeout(step)
    }
    return () => clearTimeout(timer)
  }, [text])
  return small ?? (large?.text === text ? large : null)
}
