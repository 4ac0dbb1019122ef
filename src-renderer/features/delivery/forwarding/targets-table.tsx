import type { ForwardRule } from '../../../../src-preload/contract/forward.ts'
import { formatDuration, formatExact, formatNumber, formatSince } from '../../../ui/format.ts'
import { Moment, useNow } from '../../../ui/moment.tsx'
import { attempt } from '../../../app/attempt.ts'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import text from '../../../ui/text.module.css'
import { confirmTarget } from '../targets/confirm-target.ts'
import { useTargetCheck } from '../targets/use-target-check.ts'
import { HealthTag } from './health-tag.tsx'
import { retryNow } from './rule-commands.ts'
import { sayLast, sayNext } from './rule-words.ts'
import styles from './forwarding.module.css'

type Health = ForwardRule['health'][number]

/** Each target: whether it is up, what waits for it, and how its last try went. */
export function TargetsTable({ rule }: { rule: ForwardRule }) {
  return (
    <ul className={styles['targets']} aria-label="Targets">
      {rule.health.map((health) => (
        <li key={health.url} className={styles['target']}>
          <p className={styles['targetHead']}>
            <HealthTag state={health.state} isOn={rule.enabled} />
            <span className={classes(text['mono'], styles['url'])}>{health.url}</span>
            <CopyButton text={health.url} what="Target" iconOnly kind="quiet" />
          </p>
          <Numbers health={health} />
          <p className={styles['last']}>
            <Last health={health} isOn={rule.enabled} />
          </p>
          <ToConfirm rule={rule} url={health.url} />
        </li>
      ))}
    </ul>
  )
}

/** The way out where its host was never confirmed, or the yes was taken back. */
function ToConfirm({ rule, url }: { rule: ForwardRule; url: string }) {
  const check = useTargetCheck(url)
  if (check.status !== 'known') return null
  const { verdict } = check
  if (verdict.kind !== 'public' || verdict.isConfirmed) return null
  const ask = () =>
    attempt('Could not confirm it', async () => {
      if (await confirmTarget(verdict, 'All deliveries of this rule')) await retryNow(rule)
    })
  return (
    <div>
      <Button onClick={() => void ask()}>Confirm {verdict.host}…</Button>
    </div>
  )
}

function Numbers({ health: { waiting, delivered, dropped, medianUs } }: { health: Health }) {
  const numbers: readonly (readonly [string, string, boolean?])[] = [
    ['Waiting', formatNumber(waiting)],
    ['Delivered', formatNumber(delivered)],
    ['Dropped', formatNumber(dropped), dropped > 0],
    ['Median', medianUs === null ? '–' : formatDuration(medianUs)],
  ]
  return (
    <dl className={styles['numbers']}>
      {numbers.map(([name, value, isBad = false]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className={classes(isBad && styles['bad'])}>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Last({ health, isOn }: { health: Health; isOn: boolean }) {
  const now = useNow()
  const { lastTriedAt, downSince, nextTryAt, waiting } = health
  if (lastTriedAt === null) {
    return isOn ? 'The next delivery that matches goes there.' : 'Nothing goes there: it is off.'
  }
  return (
    <>
      Last try <Moment at={lastTriedAt} />: {sayLast(health)}
      {downSince !== null && (
        <>
          {' '}
          Down since <time title={formatExact(downSince)}>{formatSince(downSince, now)}</time>.
        </>
      )}
      {isOn && nextTryAt !== null && waiting > 0 && ` Next try ${sayNext(nextTryAt, now)}.`}
      {!isOn && waiting > 0 && ' What waits goes out once the rule is on again.'}
    </>
  )
}
