import { useRef } from 'react'
import type { ForwardRule } from '../../../../src-preload/contract/forward.ts'
import { formatNumber } from '../../../ui/format.ts'
import { printRoute } from '../../../app/route.ts'
import { classes } from '../../../ui/classes.ts'
import { TableHead } from '../../../ui/table-head.tsx'
import table from '../../../ui/table.module.css'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { useLinkKeys } from '../../../ui/use-link-keys.ts'
import { shortTarget } from '../targets/target-words.ts'
import { HealthTag } from './health-tag.tsx'
import { RuleSwitch } from './rule-switch.tsx'
import { countWaiting, modeWords, titleOf, worstHealth } from './rule-words.ts'
import { ruleRoute } from './rules.ts'
import styles from './forwarding.module.css'

const head = [
  { name: 'On', className: styles['onCell'] },
  { name: 'Rule' },
  { name: 'Target', className: styles['healthCell'] },
  { name: 'Waiting', number: true, className: styles['waitingCell'] },
]

export function RuleList({
  rules,
  openId,
}: {
  rules: readonly ForwardRule[]
  openId: number | null
}) {
  const body = useRef<HTMLTableSectionElement>(null)
  useLinkKeys(body, { group: 'Forwarding', thing: 'rule' })
  return (
    // Scrollable, so it must be reachable by keyboard.
    <div className={styles['scroll']} tabIndex={0} role="region" aria-label="Rules">
      <table className={classes(table['table'], table['sticky'], styles['rules'])}>
        <TableHead cells={head} />
        <tbody ref={body}>
          {rules.map((rule) => (
            <Row key={rule.id} rule={rule} isOpen={rule.id === openId} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ rule, isOpen }: { rule: ForwardRule; isOpen: boolean }) {
  const waiting = countWaiting(rule)
  return (
    <tr className={classes(styles['rule'], isOpen && styles['open'])}>
      <td>
        <RuleSwitch rule={rule} />
      </td>
      <td className={styles['nameCell']}>
        <a
          data-walk
          className={styles['name']}
          href={printRoute(ruleRoute(rule.id))}
          aria-current={isOpen ? 'true' : undefined}
        >
          {titleOf(rule)}
        </a>{' '}
        {rule.mode === 'through' && <Tag>{modeWords.through}</Tag>}
        <p className={styles['what']}>
          {rule.filter === '' ? 'everything' : <code>{rule.filter}</code>}
          {rule.name !== '' && ` → ${rule.targets.map(shortTarget).join(', ')}`}
        </p>
        {rule.problem !== null && <p className={styles['bad']}>{rule.problem}</p>}
        {rule.conflicts.map((conflict) => (
          <p key={conflict} className={styles['warn']}>
            {conflict}
          </p>
        ))}
      </td>
      <td>
        <HealthTag state={worstHealth(rule)} isOn={rule.enabled} />
      </td>
      <td className={table['number']}>
        {waiting === 0 ? <span className={text['faint']}>0</span> : <b>{formatNumber(waiting)}</b>}
      </td>
    </tr>
  )
}
