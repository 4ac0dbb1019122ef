import { useMemo } from 'react'
import type { TargetAnswer } from '../../../../src-preload/contract/target.ts'
import { formatDuration } from '../../../ui/format.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { bytesFromBase64, decodeUtf8 } from '../../../components/body/bytes.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { answerTone, sayBody } from './answer-words.ts'
import styles from './targets.module.css'

/** What came back, in a line. */
export function AnswerLine({ answer }: { answer: TargetAnswer }) {
  const { status, durationUs, problem } = answer
  return (
    <span className={styles['line']}>
      <Tag tone={answerTone(answer)}>{status ?? 'no answer'}</Tag>
      <span className={text['dim']}>{formatDuration(durationUs)}</span>
      {problem !== null && <span className={styles['problem']}>{problem}</span>}
    </span>
  )
}

/** Its headers and its body: the words of a stranger, shown as text and nothing else. */
export function AnswerContent({ answer }: { answer: TargetAnswer }) {
  const body = useMemo(() => readText(answer), [answer])
  if (answer.status === null) {
    return <p className={styles['note']}>Nothing came back that could be shown.</p>
  }
  return (
    <div className={styles['answer']}>
      <dl className={styles['headers']} aria-label="Headers of the answer">
        {answer.headers.map(([name, value], index) => (
          // They never change places: an index is a header's identity.
          <div key={index} className={styles['pair']}>
            <dt>
              <UntrustedText text={name} />
            </dt>
            <dd>
              <UntrustedText text={value} />
            </dd>
          </div>
        ))}
      </dl>
      <div className={styles['bodyHead']}>
        <span>
          {sayBody(answer)}
          {body.invalidAt !== null && ', not all of it text'}
        </span>
        {body.text !== '' && (
          <CopyButton text={body.text} what="Body of the answer" kind="quiet" iconOnly />
        )}
      </div>
      {body.text !== '' && (
        <pre className={styles['text']} tabIndex={0} aria-label="Body of the answer">
          <UntrustedText text={body.text} />
        </pre>
      )}
    </div>
  )
}

function readText({ body, isCut }: TargetAnswer) {
  return decodeUtf8(bytesFromBase64(body), isCut)
}
