package saltern.example.springboot;

import java.util.Optional;
import java.util.concurrent.ConcurrentMap;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsPasswordService;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.core.userdetails.UsernameNotFoundException;

/** In place of a table: the stored hash of each name. */
final class Users implements UserDetailsService, UserDetailsPasswordService {
  private final ConcurrentMap<String, String> table;

  Users(ConcurrentMap<String, String> table) {
    this.table = table;
  }

  @Override
  public UserDetails loadUserByUsername(String name) {
    String stored = Optional.ofNullable(table.get(name)).orElseThrow(() -> new UsernameNotFoundException(name));
    return User.withUsername(name).password(stored).roles("USER").build();
  }

  /** Compare and swap: a password that was changed since the login began stays changed. */
  @Override
  public UserDetails updatePassword(UserDetails user, String fresh) {
    table.replace(user.getUsername(), user.getPassword(), fresh);
    return loadUserByUsername(user.getUsername());
  }
}
