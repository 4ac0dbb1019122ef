/** The subscriptions file that is compared with the gateway. It is kept while the user looks at other pages. */
import { create } from 'zustand'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { Input, Output, RouteName } from '../../../../src-preload/contract/routes.ts'
import type {
  Change,
  DifferenceKind,
  Plan,
  SubscriptionsFormat,
} from '../../../../src-preload/contract/subscription.ts'
import { type ErrorBody, AppError } from '../../../../src-preload/domain/app-error.ts'
import type { subscriptionCodes } from '../../../../src-preload/domain/error-codes.ts'
import { encodingOf } from '../../../../src-preload/domain/text-file.ts'
import { request, toAppError } from '../../../app/bridge.ts'
import type { InputFile } from '../../../app/input-file.ts'
import { type ReadPiece, readBase64, readPieces } from '../../../components/files/read-file.ts'
import { formatCount, formatNumber } from '../../../ui/format.ts'

type PlanState = {
  readonly file: InputFile | null
  readonly format: SubscriptionsFormat
  readonly busy:
    | { readonly step: 'reading'; readonly done: number; readonly total: number }
    | { readonly step: 'comparing' }
    | null
  /** The last comparison, which stays on the screen while the file is compared again. */
  readonly plan: Plan | null
  readonly problem: ErrorBody | null
  /** The kind of the listed differences; null if all are listed. */
  readonly shown: DifferenceKind | null
  /** The number of the change that applied the file. */
  readonly changeId: number | null
}

const noPlan: PlanState = {
  file: null,
  format: 'yaml',
  busy: null,
  plan: null,
  problem: null,
  shown: null,
  changeId: null,
}

export const createPlanStore = () => create<PlanState>(() => noPlan)

export type PlanUploadDeps = {
  readonly store: ReturnType<typeof createPlanStore>
  readonly ask: <N extends RouteName>(name: N, input: Input<N>) => Promise<Output<N>>
  readonly readPiece: ReadPiece
}

const planUnknown: (typeof subscriptionCodes)['planUnknown'] = 'PLAN_UNKNOWN'

/**
 * Sends a file to the main process and keeps the comparison. Only the newest file counts: the
 * upload of an older file stops before its next piece.
 */
export function createPlanUpload({ store, ask, readPiece }: PlanUploadDeps) {
  let network: NetworkId | null = null
  let run = 0
  /** The main process removes the previous file when the next upload begins. */
  let lastId: string | null = null

  /** Runs `work` and shows its error, unless another file was opened meanwhile. */
  async function guarded(work: (isNewest: () => boolean) => Promise<void>): Promise<void> {
    run += 1
    const mine = run
    const isNewest = () => mine === run
    try {
      await work(isNewest)
    } catch (error) {
      if (isNewest()) store.setState({ problem: toAppError(error).toBody(), busy: null })
    }
  }

  async function compare(id: string, isNewest: () => boolean): Promise<void> {
    store.setState({ busy: { step: 'comparing' }, problem: null })
    const plan = await ask('plan.compare', { id })
    if (isNewest()) store.setState({ plan, busy: null })
  }

  function read(): Promise<void> {
    return guarded(async (isNewest) => {
      const { file, format } = store.getState()
      if (file === null || network === null) return
      const total = file.blob.size
      store.setState({ busy: { step: 'reading', done: 0, total }, plan: null, problem: null })
      const { id } = await ask('plan.begin', {
        network,
        file: file.name.slice(0, 300),
        format,
        replaces: lastId,
      })
      lastId = id
      for await (const { base64, to } of readPieces(file, readPiece)) {
        if (!isNewest()) return
        await ask('plan.append', { id, base64 })
        if (!isNewest()) return
        store.setState({ busy: { step: 'reading', done: to, total } })
      }
      await compare(id, isNewest)
    })
  }

  return {
    open(file: InputFile, format: SubscriptionsFormat): Promise<void> {
      store.setState({ ...noPlan, file, format })
      return read()
    },
    /** Compares the file again. If the main process no longer has the file, it is read again. */
    again(): Promise<void> {
      const id = store.getState().plan?.id
      if (id === undefined) return read()
      return guarded(async (isNewest) => {
        try {
          await compare(id, isNewest)
        } catch (error) {
          if (toAppError(error).code !== planUnknown) throw error
          if (isNewest()) await read()
        }
      })
    },
    /** Compares the file with another network. */
    useNetwork(next: NetworkId): void {
      if (next === network) return
      network = next
      store.setState({ plan: null, changeId: null, shown: null })
      void read()
    },
    close(): void {
      run += 1
      store.setState(noPlan)
    },
    /**
     * @param plan the comparison that the user has seen; no other comparison is applied
     * @throws AppError
     */
    async apply(plan: Plan): Promise<Change> {
      if (store.getState().plan !== plan) {
        throw new AppError(
          'PLAN_OTHER',
          'The file has been compared again since you saw the differences. Check the new differences before you apply the file.',
        )
      }
      const change = await ask('plan.apply', { id: plan.id })
      store.setState({ changeId: change.id })
      return change
    },
  }
}

export const usePlanStore = createPlanStore()

export const subscriptionPlans = createPlanUpload({
  store: usePlanStore,
  ask: request as never,
  readPiece: readBase64,
})

/** Opens a file. If its name does not show the format, its content does. */
export async function openFile(file: InputFile): Promise<void> {
  const buffer = await file.blob
    .slice(0, 2000)
    .arrayBuffer()
    .catch(() => new ArrayBuffer())
  const beginning = new Uint8Array(buffer)
  const text = new TextDecoder(encodingOf(beginning)).decode(beginning)
  await subscriptionPlans.open(file, formatOf(file.name, text))
}

type KindLook = { readonly label: string; readonly tone?: 'ok' | 'warn' | 'bad' }

export const lookOf: Record<DifferenceKind, KindLook> = {
  missing: { label: 'Missing', tone: 'ok' },
  extra: { label: 'Extra', tone: 'warn' },
  'wrong-network': { label: 'Wrong network', tone: 'warn' },
  duplicate: { label: 'Duplicate' },
  invalid: { label: 'Invalid', tone: 'bad' },
}

export const differenceKinds = Object.keys(lookOf) as DifferenceKind[]

/** Determines the format from the file's name, or else from the beginning of its content. */
export function formatOf(name: string, text: string): SubscriptionsFormat {
  if (/\.ya?ml$/i.test(name)) return 'yaml'
  if (/\.(csv|tsv)$/i.test(name)) return 'csv'
  const first = text
    .replace(/^\ufeff/, '')
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '' && !line.startsWith('#'))
  // YAML begins with a key, a list or a map. An endpoint contains a colon too, but no space follows it.
  return first !== undefined && !/^(["']?\w+["']?:(\s|$)|- |[[{]|---)/.test(first) ? 'csv' : 'yaml'
}

/** Returns a short example file of a format, as Tondesk reads and writes it. */
export function exampleOf(format: SubscriptionsFormat, network: NetworkId): string {
  return format === 'csv'
    ? `endpoint,kind,value,label,id
https://example.com/hook,mempool,false,,
https://example.com/hook,opcode,0x0f8a7ea5,,
https://example.com/hook,account,${friendly},,
https://example.com/hook,account,${raw},Treasury,`
    : `version: 1
network: ${network}
webhooks:
  - endpoint: https://example.com/hook
    new_contracts: false
    mempool: false
    opcodes:
      - "0x0f8a7ea5"
    accounts:
      - ${friendly}
      - address: ${raw}
        label: Treasury`
}

const friendly = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'
const raw = '0:83dfd552e63729b472fcbcc8c45ebcc6691702558b68ec7527e1ba403a0f31a8'

/** Returns the command that does the same in a terminal. */
export function commandLine(act: 'plan' | 'apply', file: string, network: string): string {
  const name = /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", String.raw`'\''`)}'`
  return `tondesk webhooks ${act} ${name} --network ${network}`
}

/** Counts the steps that are necessary to apply the file. */
export const countSteps = ({ counts }: Plan): number => counts.missing + counts.extra

/** Describes the changes in one sentence for each affected webhook. */
export const describeApply = ({ webhooks }: Plan): string[] =>
  webhooks
    .filter(({ id, missing, extra }) => id === null || missing + extra > 0)
    .map(({ id, endpoint, missing, extra }) => {
      const parts = [
        id === null && 'webhook created',
        missing > 0 && `${formatCount(missing, 'subscription')} added`,
        extra > 0 && `${formatCount(extra, 'subscription')} removed`,
      ]
      return `${endpoint}: ${parts.filter(Boolean).join(', ')}`
    })

/** Describes all differences in one sentence, for screen readers. */
export function describePlan({ counts, same }: Plan): string {
  const found = differenceKinds.filter((kind) => counts[kind] > 0)
  if (found.length === 0) return `No differences in ${formatCount(same, 'subscription')}`
  return found
    .map((kind) => `${formatNumber(counts[kind])} ${lookOf[kind].label.toLowerCase()}`)
    .join(', ')
}
