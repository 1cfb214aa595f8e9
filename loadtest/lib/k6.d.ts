// Declarations that the types of k6 lack.

declare const console: { log(text: string): void; error(text: string): void };
