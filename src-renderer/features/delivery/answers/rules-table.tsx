import type { AnswerRule } from '../../../../src-preload/contract/answer-rule.ts'
import { formatNumber } from '../../../ui/format.ts'
import { IconButton } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { Menu } from '../../../ui/menu.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { TableHead } from '../../../ui/table-head.tsx'
import table from '../../../ui/table.module.css'
import { sayAction, sayExtent, sayRule } from './answer-words.ts'
import { moveRule, removeRule, setEnabled } from './rule-commands.ts'
import { draftOf } from './rule-draft.ts'
import { openAnswerRule } from './rule-dialog.tsx'
import styles from './answers.module.css'

const head = [
  { name: 'Order', hideName: true, className: styles['orderCell'] },
  { name: 'On', className: styles['onCell'] },
  { name: 'What it takes' },
  { name: 'The gateway gets', className: styles['actionCell'] },
  { name: 'Of these', className: styles['extentCell'] },
  { name: 'Answered', number: true, className: styles['usedCell'] },
  { name: 'Actions', hideName: true, className: styles['actsCell'] },
]

/** In the order in which they are tried: the first that matches wins. */
export function RulesTable({ rules }: { rules: readonly AnswerRule[] }) {
  return (
    // Scrollable, so it must be reachable by keyboard.
    <div className={styles['scroll']} tabIndex={0} role="region" aria-label="Answer rules">
      <table className={classes(table['table'], table['sticky'], styles['rules'])}>
        <TableHead cells={head} />
        <tbody>
          {rules.map((rule, index) => (
            <Row key={rule.id} rule={rule} index={index} rules={rules} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({
  rule,
  index,
  rules,
}: {
  rule: AnswerRule
  index: number
  rules: readonly AnswerRule[]
}) {
  const name = `rule ${index + 1}`
  const { filter, problem, conflicts, enabled } = rule
  const edit = () => openAnswerRule(draftOf(rule))
  return (
    <tr className={classes(styles['rule'], !enabled && styles['off'])}>
      <td className={styles['order']}>
        <span className={styles['place']}>{index + 1}</span>
        <IconButton
          icon="up"
          label={`Move ${name} up`}
          aria-disabled={index === 0}
          onClick={() => void moveRule(rules, rule, -1)}
        />
        <IconButton
          icon="down"
          label={`Move ${name} down`}
          aria-disabled={index === rules.length - 1}
          onClick={() => void moveRule(rules, rule, 1)}
        />
      </td>
      <td>
        <Switch
          hideLabel
          label={`Answer by ${name}`}
          checked={enabled}
          onChange={(on) => void setEnabled(rule, on)}
        />
      </td>
      <td className={styles['whatCell']}>
        <button type="button" className={styles['what']} onClick={edit}>
          {filter.trim() === '' ? 'everything' : <code>{filter}</code>}
        </button>
        {problem !== null && <p className={styles['bad']}>{problem}</p>}
        {conflicts.map((conflict) => (
          <p key={conflict} className={styles['warn']}>
            {conflict}
          </p>
        ))}
      </td>
      <td>
        <b>{sayAction(rule.action)}</b>
      </td>
      <td>{sayExtent(rule)}</td>
      <td className={table['number']}>{formatNumber(rule.used)}</td>
      <td>
        <Menu
          trigger={<IconButton icon="more" label={`More for ${name}: ${sayRule(rule)}`} />}
          items={[
            { label: 'Edit…', icon: 'settings', onSelect: edit },
            {
              label: 'Make another like it…',
              icon: 'copy',
              onSelect: () => openAnswerRule({ ...draftOf(rule), id: null }),
            },
            'line',
            {
              label: 'Remove…',
              icon: 'trash',
              danger: true,
              onSelect: () => void removeRule(rule),
            },
          ]}
        />
      </td>
    </tr>
  )
}
