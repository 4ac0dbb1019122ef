import { randomBytes } from 'node:crypto'
import {
  type CustomNetwork,
  type Network,
  type NetworkId,
  type NetworkUrls,
  baseUrlProblem,
} from '../../src-preload/contract/network.ts'
import { networkCodes } from '../../src-preload/domain/error-codes.ts'
import type { SandboxState } from '../../src-preload/contract/sandbox.ts'
import { AppError, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import type { NetworkSecrets } from '../secrets/network-secrets.ts'
import { type CustomNetworks, presets } from './store/networks.ts'

export type NetworkListDeps = {
  readonly secrets: Pick<NetworkSecrets, 'kept'>
  readonly custom: CustomNetworks
  readonly sandboxState: () => SandboxState
  /** Returns why no gateway can be at a URL, as a sentence; null where one can be. */
  readonly placeProblem: (url: URL) => string | null
  readonly now: () => number
}

export function createNetworkList(deps: NetworkListDeps) {
  const { secrets, now } = deps
  let custom = deps.custom.list()

  function list(): Network[] {
    return [
      readSandbox(deps.sandboxState()),
      ...presets.map((preset) => ({
        ...preset,
        kind: preset.id,
        secrets: secrets.kept(preset.id),
        problem: null,
      })),
      ...custom.map((network) => ({
        ...network,
        kind: 'custom' as const,
        secrets: secrets.kept(network.id),
        explorer: null,
        problem: urlsProblem(network.urls, deps.placeProblem),
      })),
    ]
  }

  function find(id: NetworkId): Network {
    const found = list().find((network) => network.id === id)
    if (found !== undefined) return found
    throw new AppError(networkCodes.unknown, 'Network not found. It may have been removed.')
  }

  /** @throws AppError INVALID_INPUT */
  function check(id: NetworkId | null, { name, urls }: CustomNetwork): void {
    const isTaken = list().some(
      (other) => other.id !== id && other.name.toLowerCase() === name.toLowerCase(),
    )
    if (isTaken) throw invalid('name', 'A network with this name already exists.')
    const problem = urlsProblem(urls, deps.placeProblem)
    if (problem !== null) throw invalid('urls', problem)
  }

  return {
    /** The sandbox first, then the service's networks, then custom ones, oldest first. */
    list,
    /** @throws AppError NETWORK_UNKNOWN */
    find,
    findCustom(id: NetworkId): Network & { readonly urls: NetworkUrls } {
      const found = find(id)
      if (found.kind === 'custom' && found.urls !== null) return { ...found, urls: found.urls }
      const message = `${found.name} is built in and cannot be changed.`
      throw new AppError(networkCodes.unknown, message)
    },
    /** @throws AppError INVALID_INPUT */
    add(added: CustomNetwork): Network {
      check(null, added)
      const id = `custom-${randomBytes(4).toString('hex')}`
      deps.custom.add({ id, ...added }, now())
      custom = deps.custom.list()
      return find(id)
    },
    /** @throws AppError INVALID_INPUT as `change` would */
    check,
    /** @throws AppError INVALID_INPUT */
    change(id: NetworkId, changed: CustomNetwork): Network {
      check(id, changed)
      deps.custom.change({ id, ...changed })
      custom = deps.custom.list()
      return find(id)
    },
    remove(id: NetworkId): void {
      deps.custom.remove(id)
      custom = deps.custom.list()
    },
  }
}

function invalid(path: string, message: string): AppError {
  return new AppError(bridgeCodes.invalidInput, message, { data: [{ path, message }] })
}

/** URLs are checked again, because the database may come from an edited backup. */
function urlsProblem(
  urls: NetworkUrls,
  placeProblem: NetworkListDeps['placeProblem'],
): string | null {
  for (const url of Object.values(urls)) {
    if (url === null) continue
    const problem = baseUrlProblem(url) ?? placeProblem(new URL(url))
    if (problem !== null) return `The URL ${url} cannot be used. ${problem}`
  }
  return null
}

function readSandbox({ status, problem, urls }: SandboxState): Network {
  return {
    id: 'sandbox',
    kind: 'sandbox',
    name: 'Sandbox',
    urls: urls && {
      query: urls.query,
      webhooks: urls.webhooks,
      testnetWebhooks: urls.testnetWebhooks,
      console: urls.console,
    },
    testOnly: false,
    secrets: { api: null, invoices: null },
    explorer: null,
    problem: sandboxProblem(status, problem),
  }
}

function sandboxProblem(status: SandboxState['status'], why: string | null): string | null {
  const problems = {
    running: null,
    starting: 'The sandbox is starting. Try again in a moment.',
    stopped: 'The sandbox is not running. Start it first.',
    failed: `The sandbox has failed: ${why ?? 'the cause is unknown.'} Restart it.`,
  }
  return problems[status]
}
