import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { TunnelState } from '../../../../src-preload/contract/tunnel.ts'
import { useData } from '../../../app/queries.ts'
import { useResource, valueOf } from '../../../app/resource.ts'
import { formatCount } from '../../../ui/format.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import warning from '../../../ui/warning.module.css'
import { NetworkTag } from '../../../components/network-tag.tsx'
import { networks } from '../../../app/networks.ts'
import { MoveDialog, openMove } from '../../webhooks/move/move-dialog.tsx'
import { forgetFormer } from './tunnel.ts'
import styles from './tunnels.module.css'

type Former = NonNullable<TunnelState['former']>

/** Webhooks that still deliver to the URL before: what comes there does not arrive any more. */
export function FormerBar({ former }: { former: Former }) {
  const known = valueOf(useResource(networks))?.networks ?? []
  const concerned = [...new Set(former.webhooks.map(({ network }) => network))]
  return (
    <div className={warning['bar']} role="status" aria-label="Webhooks at the URL before">
      <div className={styles['former']}>
        <span>
          {formatCount(former.webhooks.length, 'webhook')}{' '}
          {former.webhooks.length === 1 ? 'still points' : 'still point'} to the URL before,{' '}
          <span className={styles['url']}>{former.publicUrl}</span>.
        </span>
        <span className={styles['end']}>
          <IconButton
            icon="close"
            label="Put away: they stay where they are"
            onClick={() => void forgetFormer()}
          />
        </span>
      </div>
      <ul className={styles['formerList']}>
        {former.webhooks.map(({ network, webhook }) => (
          <Pointing key={`${network} ${webhook}`} network={network} id={webhook} />
        ))}
      </ul>
      {known
        .filter(({ id }) => concerned.includes(id))
        .map((network) => (
          <MoveDialog key={network.id} network={network} />
        ))}
    </div>
  )
}

function Pointing({ network, id }: { network: NetworkId; id: string }) {
  const { data: list } = useData('webhook.list', { network })
  const webhook = list?.webhooks.find((each) => each.id === id)
  return (
    <li>
      <NetworkTag id={network} /> Webhook {id}{' '}
      <Button
        disabled={webhook === undefined}
        onClick={() => webhook !== undefined && openMove(webhook)}
      >
        Move it…
      </Button>
    </li>
  )
}
