import { useEffect } from 'react'
import type { Network } from '../../../../src-preload/contract/network.ts'
import type { Plan } from '../../../../src-preload/contract/subscription.ts'
import { formatCount, formatNumber, fromMs } from '../../../ui/format.ts'
import { shortcutsOf, useShortcuts } from '../../../ui/keyboard.ts'
import { Moment } from '../../../ui/moment.tsx'
import { printRoute } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { Kbd } from '../../../ui/kbd.tsx'
import { announce } from '../../../ui/live-region.tsx'
import pane from '../../../ui/pane.module.css'
import { TableHead } from '../../../ui/table-head.tsx'
import table from '../../../ui/table.module.css'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import warning from '../../../ui/warning.module.css'
import { webhookRoute } from '../../../app/webhooks-route.ts'
import { CommandLine } from './command-line.tsx'
import { DifferenceRows } from './difference-rows.tsx'
import { applyPlan } from './plan-commands.tsx'
import { countSteps, sayPlan } from './plan-words.ts'
import { plans, usePlan } from './plans.ts'
import styles from './file.module.css'

/** What the file wants against what is, and the way to mend it. */
export function PlanView({ network, plan }: { network: Network; plan: Plan }) {
  const problem = usePlan((state) => state.problem)
  useEffect(() => announce(sayPlan(plan)), [plan])
  return (
    <div className={styles['plan']}>
      <div>
        <Head network={network} plan={plan} />
        {problem !== null && (
          <p className={warning['bar']} role="alert">
            What you see may be old: {problem.message}
          </p>
        )}
        {plan.refusal !== null && (
          <p className={warning['bar']} role="status">
            It cannot be applied as it is: {plan.refusal}
          </p>
        )}
        <Webhooks network={network} plan={plan} />
      </div>
      <DifferenceRows plan={plan} />
      <footer className={styles['foot']}>
        <CommandLine act="plan" file={plan.file} network={network} />
      </footer>
    </div>
  )
}

function Head({ network, plan }: { network: Network; plan: Plan }) {
  const isBusy = usePlan((state) => state.busy !== null)
  const steps = countSteps(plan)
  const canApply = plan.refusal === null && steps > 0 && !isBusy
  const again = () => {
    if (!isBusy) void plans.again()
  }
  const key = shortcutsOf('File')
  useShortcuts([key(['r'], 'Compare again', again)])
  return (
    <div className={pane['head']}>
      <h2 className={pane['title']} title={plan.file}>
        {plan.file}
      </h2>
      <Tag>{plan.format.toUpperCase()}</Tag>
      <span className={classes(styles['hint'], text['cut'])}>
        compared <Moment at={fromMs(plan.comparedAt)} />
      </span>
      <span className={styles['end']}>
        <Button icon="refresh" busy={isBusy} onClick={again}>
          {isBusy ? 'Comparing…' : 'Compare again'} <Kbd>r</Kbd>
        </Button>
        <Button kind="main" disabled={!canApply} onClick={() => void applyPlan(network, plan)}>
          {steps === 0 ? 'Apply…' : `Apply ${formatCount(steps, 'change')}…`}
        </Button>
        <Button kind="quiet" onClick={() => plans.putAway()}>
          Put it away
        </Button>
      </span>
    </div>
  )
}

const head = [
  { name: 'Webhook' },
  { name: 'Wanted', number: true },
  { name: 'There now', number: true },
  { name: 'To subscribe', number: true },
  { name: 'To unsubscribe', number: true },
]

function Webhooks({ network, plan }: { network: Network; plan: Plan }) {
  return (
    <div
      className={styles['webhooks']}
      tabIndex={0}
      role="region"
      aria-label="Webhooks of the file"
    >
      <table className={classes(table['table'], table['sticky'])}>
        <TableHead cells={head} />
        <tbody>
          {plan.webhooks.map(({ id, endpoint, wanted, actual, missing, extra }) => (
            <tr key={`${id ?? 'new'} ${endpoint}`}>
              <td className={styles['endpoint']}>
                {id === null ? (
                  <>
                    {endpoint} <Tag tone="warn">to be created</Tag>
                  </>
                ) : (
                  <a href={printRoute({ ...webhookRoute(id, 'accounts'), network: network.id })}>
                    {endpoint}
                  </a>
                )}
              </td>
              <td className={table['number']}>{formatNumber(wanted)}</td>
              <td className={table['number']}>{formatNumber(actual)}</td>
              <td className={classes(table['number'], missing > 0 && styles['missing'])}>
                {formatNumber(missing)}
              </td>
              <td className={classes(table['number'], extra > 0 && styles['extra'])}>
                {formatNumber(extra)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Untouched plan={plan} />
    </div>
  )
}

/** More are counted. */
const mostNamed = 5

function Untouched({ plan: { untouched } }: { plan: Plan }) {
  if (untouched.length === 0) return null
  const named = untouched.slice(0, mostNamed).map(({ endpoint }) => endpoint)
  const more = untouched.length - named.length
  return (
    <p className={styles['untouched']}>
      Left alone, for the file does not name {untouched.length === 1 ? 'it' : 'them'}:{' '}
      {named.join(', ')}
      {more > 0 && ` and ${formatNumber(more)} more`}
    </p>
  )
}
