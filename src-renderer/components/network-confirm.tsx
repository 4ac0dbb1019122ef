import type { Network } from '../../src-preload/contract/network.ts'
import { classes } from '../ui/classes.ts'
import { type ConfirmOptions, confirm } from '../ui/confirm.tsx'
import colour from './network-colour.module.css'
import styles from './network-confirm.module.css'

/** Asks before something at a gateway, and says on which network, in its colour. */
export function confirmOn(
  network: Network,
  {
    points = [],
    stakes,
    ...options
  }: ConfirmOptions & {
    /** Everything it will do, a sentence each. */
    points?: readonly string[]
    /** What can be lost there, in place of the sentence about deliveries. */
    stakes?: string
  },
): Promise<boolean> {
  return confirm({
    ...options,
    detail: (
      <div className={styles['question']}>
        <Stakes network={network} text={stakes} />
        {points.length > 0 && (
          <ul className={styles['points']}>
            {points.map((point) => (
              <li key={point}>{point}</li>
            ))}
          </ul>
        )}
        <div>{options.detail}</div>
      </div>
    ),
  })
}

/** Whether what happens there is in earnest: it is not undone by a reset, and coins are worth something. */
export function isReal({ kind, testOnly }: Network): boolean {
  return kind !== 'sandbox' && !testOnly
}

/** On which network something is about to happen, and what that means. */
export function Stakes({ network, text }: { network: Network; text?: string | undefined }) {
  return (
    <p className={classes(colour[network.kind], styles['stakes'])}>{text ?? stakesOf(network)}</p>
  )
}

function stakesOf({ kind, name, testOnly }: Network): string {
  if (kind === 'sandbox') return 'This is the sandbox on this computer.'
  return testOnly ? `This is ${name}.` : `This is ${name}: deliveries of real payments.`
}
