import type { ForwardDelivery } from '../../../../src-preload/contract/forward.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import { Moment, useNow } from '../../../ui/moment.tsx'
import { AnswerContent, AnswerLine } from '../targets/answer-view.tsx'
import { sayNext } from './rule-words.ts'
import styles from './forwarding.module.css'

export type TriedDelivery = Output<'forward.ofCapture'>[number]

/** Each try of a delivery with what came back, the newest first. */
export function Tries({ delivery }: { delivery: TriedDelivery }) {
  const now = useNow()
  const { tries, nextTryAt, state } = delivery
  return (
    <div className={styles['tryList']}>
      <Standing delivery={delivery} />
      {state === 'waiting' && nextTryAt !== null && (
        <p className={styles['last']}>Next try {sayNext(nextTryAt, now)}.</p>
      )}
      {tries.map((each) => (
        <details key={each.at} className={styles['try']}>
          <summary>
            <AnswerLine answer={each.answer} />
            <span className={styles['last']}>
              <Moment at={each.at} />
            </span>
          </summary>
          <div className={styles['inTry']}>
            <AnswerContent answer={each.answer} />
          </div>
        </details>
      ))}
      {tries.length === 0 && <p className={styles['last']}>Not sent yet.</p>}
    </div>
  )
}

function Standing({ delivery: { why } }: { delivery: ForwardDelivery }) {
  return why === null ? null : <p className={styles['last']}>{why}</p>
}
