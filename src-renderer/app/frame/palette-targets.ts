import { useEffect, useState } from 'react'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { SearchTarget } from '../../../src-preload/contract/chain.ts'
import { request } from '../bridge.ts'
import { navigate } from '../route.ts'
import { searchChain } from '../../features/explorer/search/chain-search.ts'
import { rememberSearch } from '../../features/explorer/search/recent-searches.ts'
import {
  looksLikeChain,
  routeOf,
  targetIcons,
  targetWords,
} from '../../features/explorer/search/targets.ts'
import type { PaletteEntry } from './palette-entry.ts'

/** Typing rests this long before the network is asked. */
const restMs = 250

type Found = {
  readonly network: NetworkId
  readonly text: string
  readonly targets: readonly SearchTarget[]
}

/** What is on the chain under a pasted hash, address, block or link; empty for anything else. */
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
        // The entry that searches on the page stays: there the reason is told.
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
    label: `${targetWords[target.kind]}: ${target.title}`,
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
