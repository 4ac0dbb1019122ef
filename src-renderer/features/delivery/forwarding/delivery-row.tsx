import { useCallback } from 'react'
import type { ForwardDelivery } from '../../../../src-preload/contract/forward.ts'
import { formatNumber } from '../../../ui/format.ts'
import { Moment, useNow } from '../../../ui/moment.tsx'
import { captureHref } from '../../../app/route.ts'
import { valueOf } from '../../../app/resource.ts'
import { IconButton } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import table from '../../../ui/table.module.css'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { useAnswer } from '../../../app/use-answer.ts'
import { useLookAgain } from '../../../components/list/use-look-again.ts'
import { shortTarget } from '../targets/target-words.ts'
import { dropDelivery, retryDelivery } from './rule-commands.ts'
import { deliveryTones, sayNext } from './rule-words.ts'
import { Tries } from './tries.tsx'
import styles from './forwarding.module.css'

export function DeliveryRow({
  delivery,
  withTarget,
  isOpen,
  onOpen,
  onChanged,
}: {
  delivery: ForwardDelivery
  withTarget: boolean
  isOpen: boolean
  onOpen: (open: boolean) => void
  onChanged: () => void
}) {
  const now = useNow()
  const { capture, state, target, attempts, queuedAt, nextTryAt, why } = delivery
  const next =
    state === 'waiting' && nextTryAt !== null ? `Next try ${sayNext(nextTryAt, now)}.` : ''
  const told = [why, next].filter(Boolean).join(' ')
  const act = async (work: Promise<ForwardDelivery | undefined>) => {
    if ((await work) !== undefined) onChanged()
  }
  return (
    <>
      <tr>
        <td>
          <span className={styles['opener']}>
            <IconButton
              icon={isOpen ? 'down' : 'right'}
              label={`Tries of capture ${capture}`}
              aria-expanded={isOpen}
              onClick={() => onOpen(!isOpen)}
            />
            <a href={captureHref(capture)}>{capture}</a>
          </span>
        </td>
        <td>
          <Tag tone={deliveryTones[state]}>{state}</Tag>
        </td>
        {withTarget && (
          <td className={classes(text['mono'], text['cut'])} title={target}>
            {shortTarget(target)}
          </td>
        )}
        <td className={table['number']}>{formatNumber(attempts)}</td>
        <td className={text['dim']}>
          <Moment at={queuedAt} />
        </td>
        <td className={styles['why']} title={told}>
          {told}
        </td>
        <td>
          <span className={styles['acts']}>
            <IconButton
              icon="refresh"
              label={state === 'delivered' ? 'Send again…' : 'Try now'}
              onClick={() => void act(retryDelivery(delivery))}
            />
            {state === 'waiting' && (
              <IconButton
                icon="trash"
                label="Drop…"
                onClick={() => void act(dropDelivery(delivery))}
              />
            )}
          </span>
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={withTarget ? 7 : 6} className={styles['tries']}>
            <OpenTries delivery={delivery} />
          </td>
        </tr>
      )}
    </>
  )
}

function OpenTries({ delivery }: { delivery: ForwardDelivery }) {
  const { state, resource } = useAnswer('forward.ofCapture', { id: delivery.capture })
  const look = useCallback(() => void resource.reload(), [resource])
  useLookAgain(`${delivery.attempts} ${delivery.state}`, look)
  if (state.status === 'failed') {
    return (
      <FailedState
        what="The tries could not be read"
        why={state.error.message}
        onRetry={() => void resource.reload()}
      />
    )
  }
  const found = valueOf(state)?.find(({ deliveryId }) => deliveryId === delivery.deliveryId)
  if (state.status !== 'ready') return <Skeleton rows={2} label="Loading the tries" />
  return found === undefined ? (
    <p className={styles['none']}>Its tries are not kept any more.</p>
  ) : (
    <Tries delivery={found} />
  )
}
