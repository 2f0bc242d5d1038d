/** Wakes a sleeping loop. A notification while it is awake ends its next sleep at once. */
export class Notifier {
  #isNotified = false;
  #wake: (() => void) | undefined;

  notify(): void {
    this.#isNotified = true;
    this.#wake?.();
  }

  /** Resolves on the next notification, at once if it was notified since the last sleep, or after `ms`. */
  async sleep(ms: number): Promise<void> {
    if (!this.#isNotified) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#wake = undefined;
    this.#isNotified = false;
  }
}
