import { useEffect, useState } from 'react'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { SearchTarget } from '../../../src-preload/contract/chain.ts'
import { request } from '../bridge.ts'
import { navigate } from '../route.ts'
import {
  looksLikeChain,
  rememberSearch,
  routeOf,
  searchChain,
  targetIcons,
  targetLabels,
} from '../../components/chain/chain-search.ts'
import type { PaletteEntry } from '../features.tsx'

/** The network is requested after a pause in typing. */
const restMs = 250

type Found = {
  readonly network: NetworkId
  readonly text: string
  readonly targets: readonly SearchTarget[]
}

/** The results for a pasted hash, address, block or link; empty for other texts. */
export function usePaletteTargets(network: NetworkId | null, typed: string): PaletteEntry[] {
  const text = typed.trim()
  const [found, setFound] = useState<Found | null>(null)
  const isChain = network !== null && looksLikeChain(text)
  useEffect(() => {
    if (!isChain) return undefined
    let isWanted = true
    const timer = setTimeout(() => {
      request('search.find', { network, text }).then(
        ({ targets }) => isWanted && setFound({ network, text, targets }),
        // The entry that searches on the page stays. That page shows the reason.
        () => undefined,
      )
    }, restMs)
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [isChain, network, text])

  if (network === null || text === '') return []
  const isAnswered = isChain && found?.network === network && found.text === text
  const targets = isAnswered ? found.targets : []
  const entries = targets.map((target) => entryOf(target, text, network))
  return entries.length > 0 ? entries : [searchEntry(text, network)]
}

function entryOf(target: SearchTarget, text: string, network: NetworkId): PaletteEntry {
  return {
    id: `chain-${JSON.stringify(target)}`,
    label: `${targetLabels[target.kind]}: ${target.title}`,
    icon: targetIcons[target.kind],
    run: () => {
      rememberSearch(network, { text, target })
      navigate(routeOf(target, network))
    },
  }
}

function searchEntry(text: string, network: NetworkId): PaletteEntry {
  return {
    id: 'search-chain',
    label: `Search the chain for “${text}”`,
    icon: 'transactions',
    run: () => void searchChain(network, text),
  }
}
