import type { OpcodeSubscription, Webhook } from '../../../../src-preload/contract/webhook.ts'
import { useEffect } from 'react'
import { on } from '../../../app/bridge.ts'
import { fromMs } from '../../../ui/format.ts'
import { Moment } from '../../../ui/moment.tsx'
import type { Resource } from '../../../app/resource.ts'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import table from '../../../ui/table.module.css'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import warning from '../../../ui/warning.module.css'
import { useAnswer } from '../../../app/use-answer.ts'
import { useShownNetwork } from '../../../components/chain/of-network.tsx'
import { AddOpcode } from './add-opcode.tsx'
import { removeOpcode } from './opcode-commands.ts'
import styles from './opcodes.module.css'

type Opcodes = Resource<OpcodeSubscription[]>

/** Messages that a webhook is told of by what they ask for, whoever sends them. */
export function OpcodesTab({ webhook: { network, id } }: { webhook: Webhook; item: string }) {
  const { state, resource } = useAnswer('webhook.opcodes', { network, id })
  useEffect(
    () => on('webhook.changed', (event) => event.network === network && void resource.reload()),
    [network, resource],
  )
  return (
    <div className={styles['tab']}>
      <AddOpcode network={network} webhook={id} opcodes={resource} />
      {(state.status === 'idle' || state.status === 'loading') && (
        <Skeleton rows={4} label="Loading the opcodes" />
      )}
      {state.status === 'failed' && (
        <FailedState
          what="The opcodes could not be read"
          why={state.error.message}
          onRetry={() => void resource.reload()}
        />
      )}
      {state.status === 'ready' && (
        <>
          {state.problem !== null && (
            <p className={warning['bar']} role="alert">
              What you see may be old: {state.problem.message}{' '}
              <Button onClick={() => void resource.reload()}>Try again</Button>
            </p>
          )}
          {state.value.length === 0 ? (
            <EmptyState
              title="No opcode is subscribed"
              detail="An opcode is the first 32 bits of a message, by which a contract knows what it is asked for: a jetton transfer, for instance."
            />
          ) : (
            <OpcodeTable list={state.value} webhook={{ network, id }} opcodes={resource} />
          )}
        </>
      )}
    </div>
  )
}

function OpcodeTable({
  list,
  webhook,
  opcodes,
}: {
  list: readonly OpcodeSubscription[]
  webhook: Pick<Webhook, 'network' | 'id'>
  opcodes: Opcodes
}) {
  const network = useShownNetwork()
  return (
    <table className={classes(table['table'], table['sticky'])}>
      <thead>
        <tr>
          <th scope="col">Opcode</th>
          <th scope="col">Name</th>
          <th scope="col">Status</th>
          <th scope="col">
            <span className={text['hidden']}>Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {list.map((each) => (
          <tr key={each.opcode}>
            <td className={text['mono']}>{each.opcode}</td>
            <td className={each.name === null ? text['faint'] : undefined}>
              {each.name ?? 'no name is known'}
            </td>
            <td className={styles['status']}>
              <Standing opcode={each} />
            </td>
            <td className={table['number']}>
              <Button
                kind="quiet"
                icon="trash"
                aria-label={`Remove ${each.opcode}`}
                onClick={() => void removeOpcode(webhook, each, network, opcodes)}
              >
                Remove
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Standing({
  opcode: { status, disabledAt, disabledReason },
}: {
  opcode: OpcodeSubscription
}) {
  if (status === 'active') return <Tag tone="ok">active</Tag>
  return (
    <>
      <Tag tone="bad">disabled</Tag>{' '}
      {disabledAt !== null && (
        <span className={text['dim']}>
          <Moment at={fromMs(disabledAt)} />
        </span>
      )}{' '}
      {disabledReason ?? 'The gateway does not tell why.'}
    </>
  )
}
