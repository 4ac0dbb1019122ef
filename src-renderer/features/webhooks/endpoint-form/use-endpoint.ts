import { useEffect, useState } from 'react'
import type {
  EndpointSuggestion,
  EndpointWarning,
} from '../../../../src-preload/contract/webhook.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { request } from '../../../app/bridge.ts'
import { valueOf } from '../../../app/resource.ts'
import { useAnswer } from '../../../app/use-answer.ts'

/** Typing rests this long before what is typed is looked at. */
const restMs = 250

export type EndpointEntry = {
  readonly typed: string
  readonly type: (text: string) => void
  readonly suggestions: readonly EndpointSuggestion[]
  /** Of what is typed now. */
  readonly warnings: readonly EndpointWarning[]
  /** Looks for warnings again after something else has changed. */
  readonly recheck: () => void
}

/**
 * An endpoint being typed: the best suggestion stands in it first, and what there is to say of it
 * follows the typing.
 */
export function useEndpoint(network: NetworkId, without: string | null = null): EndpointEntry {
  const offered = valueOf(useAnswer('webhook.suggestEndpoints', { network }).state) ?? []
  const suggestions = offered.filter(({ url }) => url !== without)
  const [own, setOwn] = useState<string | null>(null)
  const typed = own ?? suggestions[0]?.url ?? ''
  const [checks, setChecks] = useState(0)
  const warnings = useWarnings(network, typed, checks)
  const recheck = () => setChecks(checks + 1)
  return { typed, type: setOwn, suggestions, warnings, recheck }
}

function useWarnings(
  network: NetworkId,
  typed: string,
  checks: number,
): readonly EndpointWarning[] {
  const endpoint = typed.trim()
  const [found, setFound] = useState<{ of: string; warnings: readonly EndpointWarning[] } | null>(
    null,
  )
  useEffect(() => {
    if (endpoint === '') return undefined
    let isWanted = true
    const timer = setTimeout(() => {
      request('webhook.checkEndpoint', { network, endpoint }).then(
        (warnings) => isWanted && setFound({ of: endpoint, warnings }),
        // What is no URL at all is said when it is used.
        () => isWanted && setFound(null),
      )
    }, restMs)
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [network, endpoint, checks])
  return found?.of === endpoint ? found.warnings : []
}
