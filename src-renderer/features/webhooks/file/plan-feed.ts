import type {
  Change,
  Plan,
  SubscriptionsFormat,
} from '../../../../src-preload/contract/subscription.ts'
import type { subscriptionCodes } from '../../../../src-preload/domain/error-codes.ts'
import type { Input, Output, RouteName } from '../../../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { AppError } from '../../../../src-preload/domain/app-error.ts'
import { toAppError } from '../../../app/bridge.ts'
import { type GivenFile, type ReadPiece, readPieces } from '../../../components/files/given-file.ts'
import { type PlanStore, noPlan } from './plan-state.ts'

export type PlanFeedDeps = {
  readonly store: PlanStore
  readonly ask: <N extends RouteName>(name: N, input: Input<N>) => Promise<Output<N>>
  readonly readPiece: ReadPiece
}

const planUnknown: (typeof subscriptionCodes)['planUnknown'] = 'PLAN_UNKNOWN'

/**
 * Hands a file to the main process and keeps what differs. Only the newest file counts: what was
 * under way for the one before stops at its next piece.
 */
export function createPlanFeed({ store, ask, readPiece }: PlanFeedDeps) {
  let network: NetworkId | null = null
  let run = 0
  /** The main process forgets it when the next one begins. */
  let lastId: string | null = null

  /** What `work` answers, unless another file has taken its place meanwhile. */
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
    open(file: GivenFile, format: SubscriptionsFormat): Promise<void> {
      store.setState({ ...noPlan, file, format })
      return read()
    },
    /** Reads the file anew where the main process holds it no longer. */
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
    /** What a file wants depends on the network it is compared with. */
    useNetwork(next: NetworkId): void {
      if (next === network) return
      network = next
      store.setState({ plan: null, changeId: null, shown: null })
      void read()
    },
    putAway(): void {
      run += 1
      store.setState(noPlan)
    },
    /**
     * @param plan the one that was looked at: no other is applied in its place
     * @throws AppError
     */
    async apply(plan: Plan): Promise<Change> {
      if (store.getState().plan !== plan) {
        throw new AppError(
          'PLAN_OTHER',
          'It was compared anew meanwhile. Look at what differs now.',
        )
      }
      const change = await ask('plan.apply', { id: plan.id })
      store.setState({ changeId: change.id })
      return change
    },
  }
}
