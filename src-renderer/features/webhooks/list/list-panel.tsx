import type { Network, WebhookList } from '../../../../src-preload/contract/index.ts'
import { printRoute } from '../../../route.ts'
import { webhookRoute } from '../../../webhooks-route.ts'

export function ListPanel({
  network,
  list,
}: {
  network: Network
  list: WebhookList
  openId: string | null
}) {
  return (
    <ul>
      {list.webhooks.map(({ id, endpoint }) => (
        <li key={id}>
          <a href={printRoute({ ...webhookRoute(id), network: network.id })}>{endpoint}</a>
        </li>
      ))}
    </ul>
  )
}
