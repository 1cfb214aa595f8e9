// For aspnet.py: prints the hash that ASP.NET Core Identity makes of each of `passwords`, and its
// verdict on each of `check`.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Identity;
using Microsoft.Extensions.Options;

class Program
{
    static void Main()
    {
        var asked = JsonDocument.Parse(Console.In.ReadToEnd()).RootElement;
        var kinds = new Dictionary<string, PasswordHasherOptions>
        {
            ["v2"] = new PasswordHasherOptions { CompatibilityMode = PasswordHasherCompatibilityMode.IdentityV2 },
            ["v3"] = new PasswordHasherOptions { IterationCount = 10 },
            ["v3, default cost"] = new PasswordHasherOptions(),
        };
        var passwords = asked.GetProperty("passwords").EnumerateArray().Select(Text).ToList();
        var made = kinds.ToDictionary(kind => kind.Key, kind => passwords.Select(password => Made(kind.Value, password)).ToList());
        var hasher = new PasswordHasher<object>(Options.Create(new PasswordHasherOptions()));
        var said = asked.GetProperty("check").EnumerateArray()
            .Select(pair => hasher.VerifyHashedPassword(null, pair[0].GetString(), Text(pair[1])) != PasswordVerificationResult.Failed)
            .ToList();
        var version = typeof(PasswordHasher<object>).Assembly.GetName().Version.ToString(3);
        Console.WriteLine(JsonSerializer.Serialize(new { version, made, said }));
    }

    static string Made(PasswordHasherOptions options, string password)
    {
        var hasher = new PasswordHasher<object>(Options.Create(options));
        var hash = hasher.HashPassword(null, password);
        if (hasher.VerifyHashedPassword(null, hash, password) == PasswordVerificationResult.Failed)
        {
            throw new InvalidOperationException("ASP.NET does not agree with itself");
        }
        return hash;
    }

    static string Text(JsonElement hex) => Encoding.UTF8.GetString(
        Enumerable.Range(0, hex.GetString().Length / 2).Select(at => Convert.ToByte(hex.GetString().Substring(2 * at, 2), 16)).ToArray());
}
