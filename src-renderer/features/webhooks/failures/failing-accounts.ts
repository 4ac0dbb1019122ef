import { useEffect, useMemo } from 'react'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { on, request } from '../../../app/bridge.ts'
import { createResource, useResource } from '../../../app/resource.ts'
import { throttle } from '../../../ui/throttle.ts'
import type { Answer } from '../../../app/use-answer.ts'

type FailingAccounts = {
  readonly total: number
  /** Raw addresses, most failed attempts first: as many as one answer holds. */
  readonly accounts: readonly string[]
  /** The person's own names for some of them. */
  readonly labels: ReadonlyMap<string, string>
}

/** As many as one walks through. */
const limit = 500
const restMs = 1000

/** The accounts of a webhook whose deliveries fail, to walk through. */
export function useFailingAccounts({ network, id }: Webhook): Answer<FailingAccounts> {
  const resource = useMemo(
    () =>
      createResource(async (): Promise<FailingAccounts> => {
        const { total, rows } = await request('subscription.list', {
          network,
          webhook: id,
          filter: { only: 'failing' },
          offset: 0,
          limit,
        })
        const labels = rows.flatMap(({ account, label }): [string, string][] =>
          label === null ? [] : [[account, label]],
        )
        return { total, accounts: rows.map(({ account }) => account), labels: new Map(labels) }
      }),
    [network, id],
  )
  useEffect(() => {
    const look = throttle(() => void resource.reload(), restMs)
    const stop = on('subscription.changed', (change) => {
      if (change.network === network && change.webhooks.includes(id)) look.call()
    })
    return () => {
      stop()
      look.cancel()
    }
  }, [network, id, resource])
  return { state: useResource(resource), resource }
}
