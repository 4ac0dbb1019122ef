/** Figures of what was sent to gateways since the app started. In memory only. */
import type { GatewayRoot, RootTraffic, SentRequest } from '../../src-preload/contract/traffic.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'

type Traffic = {
  record(sent: SentRequest, isError: boolean): void
  figures(network: NetworkId, root: GatewayRoot): RootFigures
  /** Newest first. */
  recent(): SentRequest[]
}

type RootFigures = Pick<RootTraffic, 'requests' | 'errors' | 'latency' | 'lastError'>

const keptRequests = 200
const keptAnswers = 300

type Counted = {
  requests: number
  errors: number
  /** Milliseconds, oldest first. */
  latencies: number[]
  lastError: RootTraffic['lastError']
}

export function createTraffic(): Traffic {
  const roots = new Map<string, Counted>()
  let recent: SentRequest[] = []

  function countedOf(network: NetworkId, root: GatewayRoot): Counted {
    const name = `${network}/${root}`
    const known = roots.get(name)
    if (known !== undefined) return known
    const made: Counted = { requests: 0, errors: 0, latencies: [], lastError: null }
    roots.set(name, made)
    return made
  }

  return {
    record(sent, isError) {
      const { network, root, at, status, error, milliseconds } = sent
      const counted = countedOf(network, root)
      counted.requests += 1
      if (status !== null) {
        counted.latencies = [...counted.latencies.slice(1 - keptAnswers), milliseconds]
      }
      if (isError) {
        counted.errors += 1
        counted.lastError = { at, message: error ?? '', status }
      }
      recent = [sent, ...recent.slice(0, keptRequests - 1)]
    },
    figures(network, root) {
      const { requests, errors, latencies, lastError } = countedOf(network, root)
      return { requests, errors, latency: summarize(latencies), lastError }
    },
    recent: () => recent,
  }
}

function summarize(latencies: readonly number[]): RootTraffic['latency'] {
  if (latencies.length === 0) return null
  const sorted = latencies.toSorted((a, b) => a - b)
  // Nearest rank: an answer that there was.
  const at = (part: number) => sorted[Math.ceil(part * sorted.length) - 1] ?? 0
  return { p50: at(0.5), p95: at(0.95), max: at(1) }
}
