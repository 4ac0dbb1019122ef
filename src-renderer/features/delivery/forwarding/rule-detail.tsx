import type { ForwardRule } from '../../../../src-preload/contract/forward.ts'
import { formatCount } from '../../../ui/format.ts'
import { shortcutsOf, useShortcuts } from '../../../ui/keyboard.ts'
import { Moment } from '../../../ui/moment.tsx'
import { navigate } from '../../../app/route.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { KeyValues } from '../../../ui/kv.tsx'
import { Menu } from '../../../ui/menu.tsx'
import pane from '../../../ui/pane.module.css'
import warning from '../../../ui/warning.module.css'
import { RuleDeliveries } from './rule-deliveries.tsx'
import { openRule } from './rule-dialog.tsx'
import { draftOf } from './rule-draft.ts'
import { removeRule, retryNow } from './rule-commands.ts'
import { RuleSwitch } from './rule-switch.tsx'
import { countWaiting, modeSentences, titleOf } from './rule-words.ts'
import { forwardingHome } from './rules.ts'
import { TargetsTable } from './targets-table.tsx'
import styles from './forwarding.module.css'

/** One rule: how its targets fare, what it does, and each delivery it took. */
export function RuleDetail({ rule }: { rule: ForwardRule }) {
  const waiting = countWaiting(rule)
  const edit = () => openRule(draftOf(rule))
  const close = () => navigate(forwardingHome)
  const key = shortcutsOf('Forwarding rule')
  useShortcuts([
    key(['e'], 'Edit the rule', edit),
    key(['Delete'], 'Remove the rule', () => void removeRule(rule)),
    key(['Escape'], 'Close the rule', close),
  ])
  return (
    <section
      className={classes(pane['pane'], styles['detail'])}
      aria-label={`Rule ${titleOf(rule)}`}
    >
      <div>
        <div className={pane['head']}>
          <RuleSwitch rule={rule} />
          <h2 className={pane['title']}>{titleOf(rule)}</h2>
          <span className={styles['end']}>
            {waiting > 0 && (
              <Button icon="refresh" onClick={() => void retryNow(rule)}>
                Retry now
              </Button>
            )}
            <Button icon="note" onClick={edit}>
              Edit
            </Button>
            <Menu
              trigger={<IconButton icon="more" label="More" />}
              items={[
                {
                  label: 'Duplicate…',
                  icon: 'copy',
                  onSelect: () => openRule({ ...draftOf(rule), id: null, name: '' }),
                },
                'line',
                {
                  label: 'Remove…',
                  icon: 'trash',
                  hint: 'Del',
                  danger: true,
                  onSelect: () => void removeRule(rule),
                },
              ]}
            />
            <IconButton icon="close" label="Close (Esc)" onClick={close} />
          </span>
        </div>
        {rule.problem !== null && (
          <p className={warning['bar']} role="status">
            {rule.problem}
          </p>
        )}
        {rule.conflicts.map((conflict) => (
          <p key={conflict} className={warning['bar']} role="status">
            {conflict}
          </p>
        ))}
      </div>
      <div className={pane['facts']} tabIndex={0} role="region" aria-label="About the rule">
        <section className={pane['section']}>
          <h3>{rule.health.length === 1 ? 'Target' : 'Targets'}</h3>
          <TargetsTable rule={rule} />
        </section>
        <section className={pane['section']}>
          <h3>What it does</h3>
          <KeyValues
            pairs={[
              ['Takes', rule.filter === '' ? 'everything' : <code>{rule.filter}</code>],
              ['Answer', modeSentences[rule.mode]],
              ['Path', rule.appendPath ? 'appended to the target’s' : 'the target’s own, exactly'],
              ['Host', rule.keepHost ? 'as the gateway asked for it' : 'the target’s own'],
              ['A try ends', `after ${formatCount(rule.timeoutSeconds, 'second')}`],
              [
                'Gives up',
                rule.mode === 'through'
                  ? null
                  : rule.giveUpHours === null
                    ? 'never'
                    : `after ${formatCount(rule.giveUpHours, 'hour')}`,
              ],
              [
                'To the gateway',
                rule.mode === 'after'
                  ? null
                  : rule.fullAnswer
                    ? 'status, headers and body'
                    : 'the status alone',
              ],
              ['Made', <Moment at={rule.createdAt} />],
            ]}
          />
        </section>
        <RuleDeliveries rule={rule} />
      </div>
    </section>
  )
}
