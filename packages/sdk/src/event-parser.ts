/** Parses a text stream as Server-Sent Events (WHATWG HTML, 9.2.6), however it is split into chunks. */

/** One block of the stream. A block without `data` is not an event, but its `id` is a position to resume from. */
export interface Message {
  id?: string;
  /** The name that a browser dispatches it under. */
  event?: string;
  data?: string;
  /** The reconnection time that the server asks for, in milliseconds. */
  retry?: string;
}

/** Makes a parser for one stream. Give it chunks; it returns the blocks that they complete. */
export const createEventParser = (): ((chunk: string) => Message[]) => {
  let line = '';
  let message: Message = {};

  return (chunk) => {
    const messages: Message[] = [];
    // A CR at the end ends a line only when it is known that no LF follows: a CRLF may be split over two chunks.
    const lines = (line + chunk).split(/\r\n|\n|\r(?!$)/);
    line = lines.pop() as string;
    for (const whole of lines) {
      if (whole !== '') {
        message = withField(message, whole);
        continue;
      }
      messages.push(message);
      message = {};
    }
    return messages;
  };
};

const withField = (message: Message, line: string): Message => {
  const [, field, value = ''] = /^(id|event|data|retry)(?:: ?([^]*))?$/.exec(line) ?? [];
  if (field === undefined || (field === 'id' && value.includes('\0'))) return message;
  if (field === 'retry' && !/^\d+$/.test(value)) return message;
  return { ...message, [field]: field === 'data' && message.data !== undefined ? `${message.data}\n${value}` : value };
};
